/** What somebody does in the field (工种); it permits nothing. */
export const professions = [
  { value: 1, label: '换电员' },
  { value: 2, label: '挪车员' },
  { value: 3, label: '维修员' },
  { value: 4, label: '巡检员' },
  { value: 5, label: '负责人' },
] as const

export function professionText(profession: number | null | undefined): string {
  return professions.find(({ value }) => value === profession)?.label ?? '--'
}

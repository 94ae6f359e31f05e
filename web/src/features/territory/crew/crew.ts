import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { DataOf } from '@/api/shapes'
import type { FilterOption } from '@/kit/list/description'
import type { Choices } from '@/kit/list/RemoteSelect'
import { stale as staleFences } from '../fence/fence'

export const CREW_PATH = '/ops/area'

/** A maintenance area: a fence of its kind with the people who look after it. */
export type MaintenanceArea = DataOf<typeof CREW_PATH>['rows'][number]
export type CrewMember = MaintenanceArea['leaders'][number]
export type Kpi = NonNullable<MaintenanceArea['kpi']>

/** What a change of a maintenance area makes stale. */
export const stale = staleFences

/** What people do in an area. */
export const posts = [
  { key: 'leaders', label: '负责人' },
  { key: 'checkers', label: '巡检员' },
  { key: 'maintainers', label: '维修员' },
  { key: 'changePowerPersons', label: '换电员' },
  { key: 'moveCarPersons', label: '挪车员' },
] as const
export type Post = (typeof posts)[number]['key']

/** How soon work is to be done, hours. */
export const slas = [
  { key: 'swapSlaH', label: '换电时限', work: '换电' },
  { key: 'moveSlaH', label: '挪车时限', work: '挪车' },
  { key: 'repairSlaH', label: '维修时限', work: '维修' },
] as const satisfies readonly { key: keyof Kpi; label: string; work: string }[]

/** How somebody is called; of who cannot work any more that he cannot. */
export const called = ({ name, state }: Pick<CrewMember, 'name' | 'state'>) => (state === 1 ? name : `${name}（已停用）`)

export const names = (people: readonly CrewMember[]) => people.map(called).join('、')

/** Those who are named in the area and cannot work any more, each once. */
export function unable(area: Pick<MaintenanceArea, Post>): CrewMember[] {
  const all = posts.flatMap(({ key }) => area[key]).filter(({ state }) => state !== 1)
  return [...new Map(all.map((one) => [one.id, one])).values()]
}

/** `换电 4 · 挪车 8 · 维修 24 小时`; nothing before people were assigned. */
export const slaText = (kpi: Kpi | null) => kpi && `${slas.map(({ key, work }) => `${work} ${kpi[key]}`).join(' · ')} 小时`

/** Somebody to choose; two of the same name are told apart by their phones. */
export const optionOf = (person: CrewMember): FilterOption => ({ value: person.id, label: person.phone === '' ? called(person) : `${called(person)} ${person.phone}` })

/** Enabled people who see a service area; without one all whom the caller sees. */
export const peopleOf =
  (areaId?: string): Choices =>
  (keyword) => ({
    queryKey: [CREW_PATH, 'people', areaId ?? '', keyword],
    queryFn: async ({ signal }) => (await api.get('/ops/area/people', { keyword, opAreaId: areaId ?? null }, { signal, quiet: true })).rows.map(optionOf),
    staleTime: 60_000,
  })

export const maintenanceArea = (id: string) =>
  queryOptions({
    queryKey: [CREW_PATH, 'info', id],
    queryFn: ({ signal }) => api.get('/ops/area/info', { id }, { signal }),
  })

const NEIGHBOURS_MOST = 200

/** Areas of the same service area, beneath the one that is drawn. */
export const neighboursOf = (areaId: string | undefined) =>
  queryOptions({
    queryKey: [CREW_PATH, 'neighbours', areaId ?? ''],
    queryFn: async ({ signal }) => (await api.get(CREW_PATH, { opAreaId: areaId ?? null, pageSize: NEIGHBOURS_MOST }, { signal, quiet: true })).rows,
    enabled: areaId !== undefined,
    staleTime: 60_000,
  })

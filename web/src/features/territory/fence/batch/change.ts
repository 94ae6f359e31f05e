/** A change of many parking places: the fields that ask for it, what they send, and what they say. Pure. */
import type { BodyOf } from '@/api/shapes'
import { proofLabels } from '../fence'
import { type Hours, hoursText } from '../words'

export type BatchBody = BodyOf<'/fence/batch'>
export type Change = BatchBody['change']
type Capacity = NonNullable<Change['capacity']>

/** So many are changed at once. */
export const FENCES_MOST = 200
export const COUNTER = '个停车区'

/** How a capacity is changed; `keep` leaves it. */
export type CapacityWay = 'keep' | 'to' | 'by' | 'percent'
export const capacityWays: readonly { value: CapacityWay; label: string }[] = [
  { value: 'keep', label: '不改' },
  { value: 'to', label: '改为' },
  { value: 'by', label: '增减辆数' },
  { value: 'percent', label: '增减百分比' },
]
/** What the number may be, and what stands behind it. */
export const capacityBounds: Readonly<Record<Exclude<CapacityWay, 'keep'>, { min: number; max: number; suffix: string }>> = {
  to: { min: 0, max: 10_000, suffix: '辆' },
  by: { min: -10_000, max: 10_000, suffix: '辆' },
  percent: { min: -100, max: 1_000, suffix: '%' },
}

/** Whether something is to be so; `keep` leaves it. */
export type Switching = 'keep' | 'on' | 'off'
export type HoursWay = 'keep' | 'all' | 'part'

export interface ChangeFields {
  capacityWay: CapacityWay
  capacity: number | null
  minKeep: number | null
  bufferM: number | null
  fullIsClosed: Switching
  /** By the number of the proof. */
  proofs: Readonly<Record<string, Switching>>
  toleranceDegrees: number | null
  hoursWay: HoursWay
  hours: Hours | null
  changeTags: boolean
  tags: string[]
}

export const PROOFS = Object.keys(proofLabels).map(Number)

export const NOTHING: ChangeFields = {
  capacityWay: 'keep',
  capacity: null,
  minKeep: null,
  bufferM: null,
  fullIsClosed: 'keep',
  proofs: Object.fromEntries(PROOFS.map((proof) => [proof, 'keep' as const])),
  toleranceDegrees: null,
  hoursWay: 'keep',
  hours: { fromMin: 7 * 60, untilMin: 22 * 60 },
  changeTags: false,
  tags: [],
}

function capacityOf(way: CapacityWay, number: number | null): Capacity | null {
  if (way === 'keep' || number === null) return null
  if (way === 'to') return { to: number }
  return way === 'by' ? { by: number } : { percent: number }
}

/** What the fields ask for; what they leave is left out. */
export function changeOf(fields: ChangeFields): Change {
  const capacity = capacityOf(fields.capacityWay, fields.capacity)
  const proofs = PROOFS.flatMap((proof) => {
    const switching = fields.proofs[proof] ?? 'keep'
    return switching === 'keep' ? [] : [{ proof, on: switching === 'on' }]
  })
  return {
    ...(capacity === null ? {} : { capacity }),
    ...(fields.minKeep === null ? {} : { minKeep: fields.minKeep }),
    ...(fields.bufferM === null ? {} : { bufferM: fields.bufferM }),
    ...(fields.fullIsClosed === 'keep' ? {} : { fullIsClosed: fields.fullIsClosed === 'on' }),
    ...(proofs.length === 0 ? {} : { proofs }),
    ...(fields.toleranceDegrees === null ? {} : { toleranceDegrees: fields.toleranceDegrees }),
    ...(fields.hoursWay === 'keep' ? {} : { open: { hours: fields.hoursWay === 'all' ? null : fields.hours } }),
    ...(fields.changeTags ? { tags: fields.tags } : {}),
  }
}

export const isNothing = (change: Change) => Object.keys(change).length === 0

const signed = (number: number) => (number > 0 ? `+${number}` : `−${Math.abs(number)}`)

function capacityText(capacity: Capacity): string {
  if ('to' in capacity) return `改为 ${capacity.to}`
  return 'by' in capacity ? `${signed(capacity.by)} 辆` : `${signed(capacity.percent)}%`
}

/** What a change asks for, in words. */
export function changeWords(change: Change): string[] {
  const { capacity, minKeep, bufferM, fullIsClosed, proofs, toleranceDegrees, open, tags } = change
  const given = (value: unknown) => value !== null && value !== undefined
  return [
    ...(capacity ? [`停放上限 ${capacityText(capacity)}`] : []),
    ...(given(minKeep) ? [`保有下限改为 ${minKeep}`] : []),
    ...(given(bufferM) ? [`缓冲距离改为 ${bufferM} 米`] : []),
    ...(given(fullIsClosed) ? [`满桩禁停${fullIsClosed ? '开' : '关'}`] : []),
    ...(proofs ?? []).map(({ proof, on }) => `${on ? '要求' : '不要求'}${proofLabels[proof] ?? proof}`),
    ...(given(toleranceDegrees) ? [`允许偏差改为 ${toleranceDegrees}°`] : []),
    ...(open ? [`开放时段改为${hoursText(open.hours)}`] : []),
    ...(tags ? [tags.length === 0 ? '清空标签' : `标签改为${tags.join('、')}`] : []),
  ]
}

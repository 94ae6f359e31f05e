/** What a fence says beside its edge, in words: for the versions that differ and for what its drawer shows of it. */
import { formatMoney } from '@/kit/format'
import { type Difference, differenceOf } from '@/kit/versions/versions'
import { type Datum, datumLabels } from '@/map/datum'
import { type FenceVersion, formatArea, proofLabels } from './fence'

export type Drawn = Pick<FenceVersion, 'name' | 'geometry' | 'datum' | 'areaM2' | 'parking' | 'ban' | 'tags' | 'remark'>
/** What a fence says beside its name and its edge. */
export type Said = Omit<Drawn, 'name' | 'geometry' | 'areaM2'>
export type Hours = NonNullable<NonNullable<Drawn['ban']>['hours']>

/** Minutes of a day. */
export const DAY_MIN = 1440
/** Of a direction that says no other. */
export const TOLERANCE_DEGREES = 15
/** Monday to Sunday, a bit for each. */
export const EVERY_DAY = 0b111_1111
const weekdayLabels = ['周一', '周二', '周三', '周四', '周五', '周六', '周日']
export const weekdayOptions = weekdayLabels.map((label, value) => ({ value, label }))

/** The days that a number stands for, Monday being 0; and the number of such days. */
export const daysOf = (weekdays: number): number[] => weekdayOptions.flatMap(({ value }) => (weekdays & (1 << value) ? [value] : []))
export const weekdaysOf = (days: readonly number[]): number => days.reduce((sum, day) => sum | (1 << day), 0)

/** A minute of the day as `HH:mm`. */
export function clockOf(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
}

/** `22:00–次日 06:00`; without hours all day. */
export function hoursText(hours: Hours | null | undefined): string {
  if (!hours) return '全天'
  const { fromMin, untilMin } = hours
  return `${clockOf(fromMin)}–${untilMin < fromMin ? '次日 ' : ''}${clockOf(untilMin)}`
}

export function weekdaysText(weekdays: number): string {
  return weekdays === EVERY_DAY ? '每天' : daysOf(weekdays).map((day) => weekdayLabels[day]).join('、')
}

interface Word {
  label: string
  /** Nothing where it does not belong to such a fence, or nothing is said. */
  of(said: Said): string | null | undefined
  /** What most fences say: told when it changes, not as a fact. */
  usual?: string
  /** Takes a line of its own among the facts. */
  whole?: true
}

const words: readonly Word[] = [
  { label: '坐标系', of: ({ datum }) => datumLabels[datum as Datum] ?? datum, usual: datumLabels.wgs84 },
  { label: '停放上限', of: ({ parking }) => parking?.capacity?.toString() },
  { label: '保有下限', of: ({ parking }) => parking?.minKeep?.toString(), usual: '0' },
  { label: '缓冲距离', of: ({ parking }) => parking && `${parking.bufferM} 米`, usual: '10 米' },
  { label: '满桩禁停', of: ({ parking }) => parking && (parking.fullIsClosed ? '是' : '否'), usual: '否' },
  { label: '还车凭证', of: ({ parking }) => parking?.proofs?.map((proof) => proofLabels[proof]).join('、') },
  { label: '停车方向', of: ({ parking }) => parking?.direction && `${parking.direction.degrees}° ±${parking.direction.toleranceDegrees}°` },
  { label: '开放时段', of: ({ parking }) => parking && hoursText(parking.hours), usual: '全天' },
  { label: '难度系数', of: ({ parking }) => parking?.difficulty?.toString(), usual: '1' },
  { label: '射频编号', of: ({ parking }) => parking?.rfidCodes?.join('、'), whole: true },
  { label: '违停费用', of: ({ ban }) => ban && (typeof ban.penaltyCents === 'number' ? `${formatMoney(ban.penaltyCents)} 元` : '按计费配置') },
  { label: '生效星期', of: ({ ban }) => ban && weekdaysText(ban.weekdays ?? EVERY_DAY), usual: '每天' },
  { label: '生效时段', of: ({ ban }) => ban && hoursText(ban.hours), usual: '全天' },
  { label: '标签', of: ({ tags }) => tags.join('、') },
  { label: '备注', of: ({ remark }) => remark, whole: true },
]

/** What differs between two that say something of those who stop in them. */
export function saidDifferences(before: Said, after: Said): Difference[] {
  return words.flatMap(({ label, of }) => differenceOf(label, of(before), of(after)))
}

/** What differs between two drawings of a fence. */
export function differences(before: Drawn, after: Drawn): Difference[] {
  const moved = JSON.stringify(before.geometry) !== JSON.stringify(after.geometry)
  return [
    ...differenceOf('名称', before.name, after.name),
    ...(moved ? [{ label: '边界', before: formatArea(before.areaM2), after: formatArea(after.areaM2) }] : []),
    ...saidDifferences(before, after),
  ]
}

/** What a fence says that not every fence does. */
export function particulars(drawn: Drawn): { name: string; value: string; whole: boolean }[] {
  return words.flatMap(({ label, of, usual, whole = false }) => {
    const value = of(drawn)
    return !value || value === usual ? [] : [{ name: label, value, whole }]
  })
}

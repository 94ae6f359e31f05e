/** The filter of states: in the address as `f=rentable,alarm`, in the map as a bit mask. */
import { alarmStyle, stateStyle } from '@/kit/theme'
import type { FleetTotals } from '@/live/totals'
import { ALARM_MASK, type Mask } from '@/map/vehicles/fleetMath'

export const filterStyles = [...stateStyle, alarmStyle] as const
export type FilterKey = (typeof filterStyles)[number]['key']

/** Bit of a filter: states as numbered by the push protocol, then the alarm. */
export function bitOf(key: FilterKey): Mask {
  const index = stateStyle.findIndex((style) => style.key === key)
  return index === -1 ? ALARM_MASK : 1 << index
}

/** The chosen filters named in the address; unknown names are passed over. */
export function readFilter(text: string | null): Mask {
  let mask = 0
  for (const name of (text ?? '').split(',')) {
    const style = filterStyles.find((candidate) => candidate.key === name)
    if (style !== undefined) mask |= bitOf(style.key)
  }
  return mask
}

/** The address's text of a mask, null when everything is shown. */
export function writeFilter(mask: Mask): string | null {
  const names = filterStyles.filter((style) => (bitOf(style.key) & mask) !== 0).map((style) => style.key)
  return names.length === 0 || names.length === filterStyles.length ? null : names.join(',')
}

/** `mask` with one filter turned over; choosing all is the same as choosing none. */
export function toggled(mask: Mask, key: FilterKey): Mask {
  const next = mask ^ bitOf(key)
  return next === 2 ** filterStyles.length - 1 ? 0 : next
}

/** What a filter's figure counts (口径): each bike is in one state, the first that holds of those below; an alarm lies over any. */
export const filterFormulas: Readonly<Record<FilterKey, string>> = {
  rentable: '已上架、在线、没有任何不可租原因的车辆',
  riding: '订单进行中的车辆，不含临停',
  paused: '临时停车或已被预约的车辆',
  field_work: '正在挪车、换电或由运维人员使用的车辆',
  low_battery: '电量低于阈值的空闲车辆；骑行、临停、运维、停运、离线的车辆计入各自的状态，不重复计入低电',
  out_of_service: '已下架、报修、拖回或丢失的车辆',
  not_rentable: '因其他原因不能租用的车辆，例如停在服务区外',
  silent: '超过时限没有上报的车辆',
  alarm: '至少有一个未解除告警的车辆，不论处于哪种状态',
}

/** How many bikes a filter stands for: the one figure of its word, wherever it is shown. */
export function countOf(key: FilterKey, totals: FleetTotals): number {
  if (key === 'alarm') return totals.alarm
  return totals.states[stateStyle.findIndex((style) => style.key === key)] ?? 0
}

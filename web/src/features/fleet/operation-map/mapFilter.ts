/** The filter of states: in the address as `f=rentable,alarm`, in the map as a bit mask. */
import { alarmStyle, stateStyle } from '@/app/theme'
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

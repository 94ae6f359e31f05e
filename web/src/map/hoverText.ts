/** What a label beside the pointer says. Pure. */
import { alarmStyle, stateStyle } from '@/kit/theme'

import { ALARM_BIT } from './vehicles/fleetMath'
import type { Hit } from './vehicles/scene'

/** What is said of a bike. */
export interface LabelBikes {
  readonly flags: Uint8Array
  readonly soc: Uint8Array
}

/** A bike in words: `A0012 · 骑行中 · 电量 64%`, without its number while that is not known. */
export function bikeText(bikes: LabelBikes, slot: number, carId: string | undefined): string {
  const flags = bikes.flags[slot] ?? 0
  const state = stateStyle[flags & 0x0f]?.label ?? '未知'
  const alarm = (flags & ALARM_BIT) === 0 ? '' : `（${alarmStyle.label}）`
  return [carId, state + alarm, `电量 ${bikes.soc[slot] ?? 0}%`].filter(Boolean).join(' · ')
}

/** What lies under the pointer, in words. */
export function hoverText(hit: Hit, bikes: LabelBikes, nameOf: (slot: number) => string | undefined): string {
  if (hit.kind === 'stop') {
    const shares = hit.stop.byState.flatMap((count, state) => (count === 0 ? [] : [`${stateStyle[state]?.label ?? '未知'} ${count}`]))
    return `${hit.stop.total} 辆：${shares.join('，')}`
  }
  const [top = -1] = hit.slots
  const more = hit.slots.length === 1 ? '' : `，此处共 ${hit.slots.length} 辆`
  return bikeText(bikes, top, nameOf(top)) + more
}

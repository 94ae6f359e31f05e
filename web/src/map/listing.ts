/** The bikes that a filter lets through, as a list. Pure. */
import { shown, type Bikes, type Mask } from './vehicles/fleetMath'

/** What a list reads of a fleet store. */
export interface ListedBikes extends Bikes {
  readonly soc: Uint8Array
}

/** The shown slots, the least charged first; equal ones by slot, so that the list stands still. */
export function listed(bikes: ListedBikes, mask: Mask): number[] {
  const byCharge: number[][] = Array.from({ length: 256 }, () => [])
  for (let slot = 0; slot < bikes.high; slot += 1) {
    if (bikes.present[slot] !== 0 && shown(bikes.flags[slot]!, mask)) byCharge[bikes.soc[slot]!]!.push(slot)
  }
  return byCharge.flat()
}

/** The slot `step` places after `current`, round the ends; the first or last when it is not in the list, -1 in an empty one. */
export function neighbour(slots: readonly number[], current: number, step: 1 | -1): number {
  if (slots.length === 0) return -1
  const at = slots.indexOf(current)
  const next = at === -1 ? (step === 1 ? 0 : slots.length - 1) : (at + step + slots.length) % slots.length
  return slots[next]!
}

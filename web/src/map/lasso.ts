/** Which bikes lie in what was drawn around them. Pure. */
import { shown, type Bikes, type Mask } from './vehicles/fleetMath'

/** A corner, world pixels at zoom 0. */
export interface Corner {
  readonly x: number
  readonly y: number
}

/** Corners nearer than this to the one before are left out, px: a hand trembles. */
export const CORNER_PX = 4

/** The corners of the box between two. */
export function boxOf(a: Corner, b: Corner): Corner[] {
  return [a, { x: b.x, y: a.y }, b, { x: a.x, y: b.y }]
}

/** Whether a place lies in a ring, by the even-odd rule: a loop of the hand that crosses itself leaves out what it went round twice. */
export function inRing(ring: readonly Corner[], x: number, y: number): boolean {
  let inside = false
  for (let at = 0, before = ring.length - 1; at < ring.length; before = at, at += 1) {
    const [a, b] = [ring[at]!, ring[before]!]
    if (a.y > y !== b.y > y && x < ((b.x - a.x) * (y - a.y)) / (b.y - a.y) + a.x) inside = !inside
  }
  return inside
}

/** The shown slots in a ring, at most `most`; how many there are in all. */
export function lassoed(bikes: Bikes, mask: Mask, ring: readonly Corner[], most: number): { slots: number[]; total: number } {
  let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { x, y } of ring) {
    west = Math.min(west, x)
    east = Math.max(east, x)
    north = Math.min(north, y)
    south = Math.max(south, y)
  }
  const slots: number[] = []
  let total = 0
  for (let slot = 0; slot < bikes.high; slot += 1) {
    if (bikes.present[slot] === 0 || !shown(bikes.flags[slot]!, mask)) continue
    const [x, y] = [bikes.x[slot]!, bikes.y[slot]!]
    if (x < west || x > east || y < north || y > south || !inRing(ring, x, y)) continue
    total += 1
    if (slots.length < most) slots.push(slot)
  }
  return { slots, total }
}

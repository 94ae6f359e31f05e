/** Corners and sides of what lies about, for a pointer that comes near them. Pure; degrees, WGS-84. */
import { worldX, worldY } from '@/live/projection'
import { type Place, type Ring, rounded } from './geometry'

/** So near, in pixels of the screen, a pointer is drawn to a corner or side. */
export const SNAP_PX = 10

/** A ring that can be snapped to, in world pixels at zoom 0 beside its degrees. */
export interface Target {
  ring: Ring
  world: Float64Array
  west: number
  north: number
  east: number
  south: number
}

export function targetsOf(rings: readonly Ring[]): Target[] {
  return rings.map((ring) => {
    const world = new Float64Array(ring.length * 2)
    let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity]
    for (const [n, [lng, lat]] of ring.entries()) {
      const [x, y] = [worldX(lng!), worldY(lat!)]
      world[n * 2] = x
      world[n * 2 + 1] = y
      west = Math.min(west, x)
      east = Math.max(east, x)
      north = Math.min(north, y)
      south = Math.max(south, y)
    }
    return { ring, world, west, north, east, south }
  })
}

/** What is smaller than this on the screen is no aim: from afar a city's parking places would draw every click to themselves. */
const SEEN_PX = 3 * SNAP_PX

/** The corner that a place is near to at this zoom, else the place on a side; nothing when it is near to none. */
export function snapped(targets: readonly Target[], [lng, lat]: Place, zoom: number): [number, number] | undefined {
  const reach = SNAP_PX / 2 ** zoom
  const least = SEEN_PX / 2 ** zoom
  const [x, y] = [worldX(lng), worldY(lat)]
  let corner: [number, number] | undefined
  let side: [number, number] | undefined
  let cornerAway = reach
  let sideAway = reach
  for (const { ring, world, west, north, east, south } of targets) {
    if (x < west - reach || x > east + reach || y < north - reach || y > south + reach) continue
    if (east - west < least && south - north < least) continue
    for (let n = 0; n + 1 < ring.length; n += 1) {
      const [ax, ay, bx, by] = [world[n * 2]!, world[n * 2 + 1]!, world[n * 2 + 2]!, world[n * 2 + 3]!]
      const toCorner = Math.hypot(x - ax, y - ay)
      const [from, to] = [ring[n]!, ring[n + 1]!]
      if (toCorner < cornerAway) {
        cornerAway = toCorner
        corner = [from[0]!, from[1]!]
      }
      const [dx, dy] = [bx - ax, by - ay]
      const length2 = dx * dx + dy * dy
      if (length2 === 0) continue
      const share = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / length2))
      const toSide = Math.hypot(x - ax - share * dx, y - ay - share * dy)
      if (toSide < sideAway) {
        sideAway = toSide
        side = [rounded(from[0]! + share * (to[0]! - from[0]!)), rounded(from[1]! + share * (to[1]! - from[1]!))]
      }
    }
  }
  return corner ?? side
}

/** What can be snapped to at this moment. */
export function newAims(first: readonly Target[]) {
  let targets = first
  let isOff = () => false
  return {
    set: (next: readonly Target[]) => {
      targets = next
    },
    /** Nothing is snapped to while this says so. */
    unless: (held: () => boolean) => {
      isOff = held
    },
    snap: (place: Place, zoom: number) => (isOff() ? undefined : snapped(targets, place, zoom)),
  }
}

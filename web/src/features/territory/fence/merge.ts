/** Two rings that lie side by side or overlap as one; the areas are added by polyclip-ts, which is exact. */
import { union } from 'polyclip-ts'
import { boundsOfRing, CORNERS_MOST, type Place, type Ring, rounded } from './geometry'
import { type Flat, planeOf } from './measure'

/** One ring, or why there is none, in words. */
export type Merge = { ring: Ring } | { fault: string }

/** A gap or overlap so narrow along a common side is drawing, not intent: sixth digits of degrees are a tenth of a metre. */
export const GAP_M = 0.2

/** Corners of `ring` with those of `other` that lie on its sides; what is close to a corner of `other` becomes that corner. */
function knitted(ring: Ring, other: Ring, moves: boolean): number[][] {
  const plane = planeOf(ring)
  const near = (one: Flat, to: Flat) => Math.hypot(one[0] - to[0], one[1] - to[1]) <= GAP_M
  const theirs = other.slice(0, -1)
  const moved = ring.slice(0, -1).map((corner) => (moves ? (theirs.find((one) => near(plane.flat(one), plane.flat(corner))) ?? corner) : corner))
  const corners = moved.flatMap((corner, n) => {
    const [from, to] = [plane.flat(corner), plane.flat(moved[(n + 1) % moved.length]!)]
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]]
    const length2 = dx * dx + dy * dy
    const on = theirs.flatMap((one) => {
      const point = plane.flat(one)
      if (length2 === 0 || near(point, from) || near(point, to)) return []
      const share = ((point[0] - from[0]) * dx + (point[1] - from[1]) * dy) / length2
      return share > 0 && share < 1 && near(point, [from[0] + share * dx, from[1] + share * dy]) ? [{ share, one }] : []
    })
    return [corner, ...on.toSorted((a, b) => a.share - b.share).map(({ one }) => one)]
  })
  return [...corners, corners[0]!].map((corner) => [...corner])
}

/** One ring of two closed ones. */
export function merge(ring: Ring, other: Ring): Merge {
  // First the other one moves to this one's corners, then this one gets the corners that the other has on its sides.
  const theirs = knitted(other, ring, true)
  const ours = knitted(ring, theirs, false)
  const pairs = (corners: readonly (readonly number[])[]) => corners.map(([lng, lat]) => [lng!, lat!] as [number, number])
  const parts = union([pairs(ours)], [pairs(theirs)])
  if (parts.length !== 1) {
    const common = ours.some((corner) => theirs.some((one) => one[0] === corner[0] && one[1] === corner[1]))
    return { fault: common ? '两个围栏只在一个点相接，合并后不是一个整体' : '两个围栏没有相连，不能合并' }
  }
  if (parts[0]!.length !== 1) return { fault: '合并后中间会留下空洞，围栏不能有洞' }
  const merged = parts[0]![0]!.map(([lng, lat]) => [rounded(lng), rounded(lat)])
  const open = merged.slice(0, -1).filter((corner, n, all) => n === 0 || corner[0] !== all[n - 1]![0] || corner[1] !== all[n - 1]![1])
  if (new Set(open.map(String)).size < open.length) return { fault: '两个围栏只在一个点相接，合并后不是一个整体' }
  if (open.length > CORNERS_MOST) return { fault: `合并后有 ${open.length} 个顶点，最多 ${CORNERS_MOST} 个` }
  return { ring: [...open, open[0]!] }
}

/** Those of `fences` that may be merged with a ring, by their boxes; at most so many, the nearest first. */
export function beside<Fence extends { ring: Ring }>(ring: Ring, fences: readonly Fence[], most: number): Fence[] {
  const [[south, west], [north, east]] = boundsOfRing(ring)
  const plane = planeOf(ring)
  const [dLng, dLat] = apart(plane.degrees([GAP_M, GAP_M]), plane.degrees([0, 0]))
  const middle = ([[bottom, left], [top, right]]: ReturnType<typeof boundsOfRing>): Flat => plane.flat([(left + right) / 2, (bottom + top) / 2])
  return fences
    .flatMap((fence) => {
      const box = boundsOfRing(fence.ring)
      const [[bottom, left], [top, right]] = box
      const meets = left <= east + dLng && right >= west - dLng && bottom <= north + dLat && top >= south - dLat
      return meets ? [{ fence, away: Math.hypot(...middle(box)) }] : []
    })
    .toSorted((a, b) => a.away - b.away)
    .slice(0, most)
    .map(({ fence }) => fence)
}

const apart = (one: Place, other: Place): Place => [one[0] - other[0], one[1] - other[1]]

/** Whether a place lies within a closed ring. */
export function isWithin(ring: Ring, [lng, lat]: Place): boolean {
  let inside = false
  for (let n = 0; n + 1 < ring.length; n += 1) {
    const [[ax, ay], [bx, by]] = [ring[n]!, ring[n + 1]!] as [Place, Place]
    if (ay > lat !== by > lat && lng < ax + ((lat - ay) / (by - ay)) * (bx - ax)) inside = !inside
  }
  return inside
}

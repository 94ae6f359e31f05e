/**
 * A ring cut in two by a line that is drawn through it. What the kept clipping package does are sets of areas; a line has none, so
 * the ring is walked here: where the line crosses it, each piece goes along the line instead.
 */
import { AREA_LEAST_M2, CORNERS_MOST, type Ring, rounded } from './geometry'
import { doubled, type Flat, planeOf } from './measure'

/** The larger piece first, or why there are not two, in words. */
export type Split = { pieces: [Ring, Ring] } | { fault: string }

/** What is nearer than this is the same place. */
const SAME_M = 0.002

/** Where the line meets the ring: how far along each, in sides and parts of one. */
interface Meeting {
  along: number
  at: number
  point: Flat
}

const away = ([ax, ay]: Flat, [bx, by]: Flat) => Math.hypot(ax - bx, ay - by)
const between = ([ax, ay]: Flat, [bx, by]: Flat, share: number): Flat => [ax + (bx - ax) * share, ay + (by - ay) * share]

/** How far along a segment, as a part of it, the nearest of its points is. */
function shareOf(point: Flat, from: Flat, to: Flat): number {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]]
  const length2 = dx * dx + dy * dy
  return length2 === 0 ? 0 : Math.min(1, Math.max(0, ((point[0] - from[0]) * dx + (point[1] - from[1]) * dy) / length2))
}

/** How far along each of two segments they cross, when they do. */
function crossing(a: Flat, b: Flat, c: Flat, d: Flat): [number, number] | null {
  const [ux, uy, vx, vy] = [b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]]
  const turn = ux * vy - uy * vx
  if (turn === 0) return null
  const along = ((c[0] - a[0]) * vy - (c[1] - a[1]) * vx) / turn
  const at = ((c[0] - a[0]) * uy - (c[1] - a[1]) * ux) / turn
  return along >= 0 && along <= 1 && at >= 0 && at <= 1 ? [along, at] : null
}

function without<T>(items: readonly T[], same: (one: T, next: T) => boolean): T[] {
  return items.filter((item, n) => n === 0 || !same(items[n - 1]!, item))
}

/** All places where the line meets the ring, in the line's order, each once. */
function meetingsOf(ring: readonly Flat[], line: readonly Flat[]): Meeting[] {
  const meetings: Meeting[] = []
  for (let n = 0; n + 1 < line.length; n += 1) {
    const [from, to] = [line[n]!, line[n + 1]!]
    for (const [side, corner] of ring.entries()) {
      const next = ring[(side + 1) % ring.length]!
      const through = shareOf(corner, from, to)
      if (away(corner, between(from, to, through)) <= SAME_M) meetings.push({ along: n + through, at: side, point: corner })
      for (const [end, point] of [[n, from], [n + 1, to]] as const) {
        const share = shareOf(point, corner, next)
        if (away(point, between(corner, next, share)) <= SAME_M) meetings.push({ along: end, at: (side + share) % ring.length, point })
      }
      const crossed = crossing(from, to, corner, next)
      if (crossed) meetings.push({ along: n + crossed[0], at: (side + crossed[1]) % ring.length, point: between(corner, next, crossed[1]) })
    }
  }
  // A corner is said by both of its sides and by itself, which counts.
  const isCorner = ({ at }: Meeting) => Number.isInteger(at)
  const kept: Meeting[] = []
  for (const meeting of meetings.toSorted((a, b) => a.along - b.along || Number(isCorner(b)) - Number(isCorner(a)))) {
    const known = kept.findIndex(({ along, point }) => Math.abs(along - meeting.along) < 1 && away(point, meeting.point) <= 2 * SAME_M)
    if (known < 0) kept.push(meeting)
    else if (isCorner(meeting) && !isCorner(kept[known]!)) kept[known] = meeting
  }
  return kept
}

/** Whether a point lies inside, on the edge of or outside a ring. */
function standing(ring: readonly Flat[], point: Flat): 'inside' | 'edge' | 'outside' {
  let inside = false
  for (const [n, a] of ring.entries()) {
    const b = ring[(n + 1) % ring.length]!
    if (away(point, between(a, b, shareOf(point, a, b))) <= SAME_M) return 'edge'
    if (a[1] > point[1] !== b[1] > point[1] && point[0] < a[0] + ((point[1] - a[1]) / (b[1] - a[1])) * (b[0] - a[0])) inside = !inside
  }
  return inside ? 'inside' : 'outside'
}

function crossesItself(line: readonly Flat[]): boolean {
  for (let n = 0; n + 1 < line.length; n += 1) {
    for (let later = n + 2; later + 1 < line.length; later += 1) {
      if (crossing(line[n]!, line[n + 1]!, line[later]!, line[later + 1]!)) return true
    }
  }
  return false
}

/** The corners after one place of the ring and before another, going on round it. */
function cornersBetween(count: number, from: number, to: number): number[] {
  const end = to > from ? to : to + count
  const corners: number[] = []
  for (let corner = Math.floor(from) + 1; corner < end; corner += 1) corners.push(corner % count)
  return corners
}

/** Cuts a closed ring in two along a line. */
export function split(closed: Ring, drawn: Ring): Split {
  const plane = planeOf(closed)
  const corners = closed.slice(0, -1)
  const ring = corners.map(plane.flat)
  const line = without(drawn.map(plane.flat), (one, next) => away(one, next) <= SAME_M)
  if (line.length < 2) return { fault: '分割线至少要有两个点' }
  if (crossesItself(line)) return { fault: '分割线不能与自己相交' }
  if ([line[0]!, line.at(-1)!].some((end) => standing(ring, end) === 'inside')) return { fault: '分割线的两端都要画到围栏外面' }
  const meetings = meetingsOf(ring, line)
  const onLine = (along: number) => between(line[Math.floor(along)]!, line[Math.min(Math.floor(along) + 1, line.length - 1)]!, along % 1)
  const chords = meetings
    .slice(1)
    .map((end, n) => ({ begin: meetings[n]!, end }))
    .filter(({ begin, end }) => standing(ring, onLine((begin.along + end.along) / 2)) === 'inside')
  const [chord] = chords
  if (!chord) return { fault: meetings.length > 0 ? '分割线只碰到围栏的边，没有穿过围栏' : '分割线没有穿过围栏' }
  if (chords.length > 1) return { fault: `分割线会把围栏分成 ${chords.length + 1} 块；一次只能分成两块，请换一条线` }

  const { begin, end } = chord
  const degreesOf = ({ at, point }: Meeting) => (Number.isInteger(at) ? corners[at]! : plane.degrees(point).map(rounded))
  if (begin.at === end.at) return { fault: '分割线只碰到围栏的边，没有穿过围栏' }
  const bends = line.filter((_, n) => n > begin.along && n < end.along).map((point) => plane.degrees(point).map(rounded))
  const across = [degreesOf(begin), ...bends, degreesOf(end)]
  const round = (from: Meeting, to: Meeting) => cornersBetween(corners.length, from.at, to.at).map((corner) => corners[corner]!)
  const rings = [
    [...across, ...round(end, begin)],
    [...across.toReversed(), ...round(begin, end)],
  ].map((open) => without(open, isSame))
  const [one, other] = rings.map((open) => ({ ring: [...open, open[0]!], area: Math.abs(doubled(open.map(plane.flat))) / 2 })).toSorted((a, b) => b.area - a.area)
  if (!one || !other || other.area < AREA_LEAST_M2) return { fault: `分出的一块只有 ${(other?.area ?? 0).toFixed(2)} 平方米，至少需要 ${AREA_LEAST_M2} 平方米` }
  if (one.ring.length > CORNERS_MOST + 1 || other.ring.length > CORNERS_MOST + 1) return { fault: `分出的一块超过 ${CORNERS_MOST} 个顶点` }
  return { pieces: [one.ring, other.ring] }
}

const isSame = (one: readonly number[], next: readonly number[]) => one[0] === next[0] && one[1] === next[1]

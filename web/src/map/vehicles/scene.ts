/**
 * What the map shows of the fleet at one moment, in px of the canvas: signs of single bikes in the order
 * in which they are drawn, and counts where several share a place. The painter draws a scene and the hit
 * test reads the same one, so that what is on top is what is hit. Pure.
 */
import type { View } from '../view'
import { ALARM_BIT, atRest, cull, signSize, stopRadius, type Bikes, type Mask } from './fleetMath'

/** Up to this zoom bikes that share a place are counted; beyond it, in the street, each has its own sign. */
export const STOP_ZOOM = 17
/** Side of the squares in which crowded bikes are found, px: world-aligned, so that counts do not jump while dragging. */
const SQUARE_PX = 16
/** How many squares away another count may be and still overlap. */
const REACH_SQUARES = 4
/** How far outside the canvas bikes are taken in, so that a count at its edge is whole, px. */
const SLACK_PX = 48

/** Bikes that share a place. */
export interface Stop {
  readonly x: number
  readonly y: number
  readonly total: number
  readonly alarm: number
  /** In the order of `docs/push.md`. */
  readonly byState: readonly number[]
  /** Which they are. */
  slots(): number[]
}

/** One picture of the fleet. */
export interface Scene {
  readonly view: View
  /** Bikes on the canvas, counted ones included. */
  readonly inView: number
  /** Single bikes: places on the canvas, in the order of drawing; the last lies on top. */
  readonly slots: Int32Array<ArrayBuffer>
  readonly x: Float32Array<ArrayBuffer>
  readonly y: Float32Array<ArrayBuffer>
  /** The low five bits of the state byte: state and alarm. */
  readonly kinds: Uint8Array<ArrayBuffer>
  /** Degrees / 2. */
  readonly headings: Uint8Array<ArrayBuffer>
  readonly stops: readonly Stop[]
}

/** What a scene is made of. */
export interface SceneBikes extends Bikes {
  readonly heading: Uint8Array
}

/** The scene of `view`, with the bikes that `mask` shows. */
export function sceneOf(bikes: SceneBikes, view: View, mask: Mask): Scene {
  const room = new Int32Array(bikes.count)
  const found = room.subarray(0, Math.min(cull(bikes, view, mask, SLACK_PX, room), room.length))
  const squares = view.zoom > STOP_ZOOM ? null : squaresOf(bikes, view, found)
  const stops = squares === null ? [] : stopsOf(view, squares)
  let count = found.length
  for (const stop of stops) count -= stop.total
  const scene: Scene = {
    view,
    inView: found.length,
    slots: new Int32Array(count),
    x: new Float32Array(count),
    y: new Float32Array(count),
    kinds: new Uint8Array(count),
    headings: new Uint8Array(count),
    stops,
  }
  let at = 0
  // Alarming bikes are drawn last: nothing lies on them.
  for (const alarming of [0, ALARM_BIT]) {
    for (let index = 0; index < found.length; index += 1) {
      const slot = found[index]!
      const flags = bikes.flags[slot]!
      if ((flags & ALARM_BIT) !== alarming || (squares !== null && isCounted(squares, index))) continue
      scene.slots[at] = slot
      scene.x[at] = bikes.x[slot]! * view.scale - view.originX
      scene.y[at] = bikes.y[slot]! * view.scale - view.originY
      scene.kinds[at] = flags & 0x1f
      scene.headings[at] = bikes.heading[slot]!
      at += 1
    }
  }
  return scene
}

const STATES = 8

/** Standing bikes by squares, as parallel arrays. */
interface Squares {
  readonly columns: number
  readonly total: Int32Array
  readonly alarm: Int32Array
  /** Eight for each square. */
  readonly byState: Int32Array
  /** Sums of the places of its bikes, px of the canvas. */
  readonly x: Float64Array
  readonly y: Float64Array
  /** The stop that has taken it in, counted from 1. */
  readonly stop: Int32Array
  readonly found: Int32Array
  /** Square of each found bike, -1 for one that is on its way. */
  readonly of: Int32Array
}

function isCounted(squares: Squares, index: number): boolean {
  const square = squares.of[index]!
  return square !== -1 && squares.stop[square] !== 0
}

function squaresOf(bikes: SceneBikes, view: View, found: Int32Array): Squares {
  const firstColumn = Math.floor((view.originX - SLACK_PX) / SQUARE_PX)
  const firstRow = Math.floor((view.originY - SLACK_PX) / SQUARE_PX)
  const columns = Math.ceil((view.width + 2 * SLACK_PX) / SQUARE_PX) + 1
  const size = columns * (Math.ceil((view.height + 2 * SLACK_PX) / SQUARE_PX) + 1)
  const squares: Squares = {
    columns,
    total: new Int32Array(size),
    alarm: new Int32Array(size),
    byState: new Int32Array(size * STATES),
    x: new Float64Array(size),
    y: new Float64Array(size),
    stop: new Int32Array(size),
    found,
    of: new Int32Array(found.length).fill(-1),
  }
  for (let index = 0; index < found.length; index += 1) {
    const slot = found[index]!
    const flags = bikes.flags[slot]!
    if (!atRest(flags)) continue
    const x = bikes.x[slot]! * view.scale
    const y = bikes.y[slot]! * view.scale
    const square = (Math.floor(y / SQUARE_PX) - firstRow) * columns + Math.floor(x / SQUARE_PX) - firstColumn
    squares.total[square]! += 1
    squares.byState[square * STATES + (flags & 0x07)]! += 1
    if ((flags & ALARM_BIT) !== 0) squares.alarm[square]! += 1
    squares.x[square]! += x - view.originX
    squares.y[square]! += y - view.originY
    squares.of[index] = square
  }
  return squares
}

/** Where at least two bikes stand on one place, with the neighbours that the count would cover. */
function stopsOf(view: View, squares: Squares): Stop[] {
  const { total } = squares
  const crowded: number[] = []
  for (let square = 0; square < total.length; square += 1) if (total[square]! > 1) crowded.push(square)
  // The largest first: it takes its neighbours in, never the other way round. Equal ones keep their order.
  crowded.sort((a, b) => total[b]! - total[a]! || a - b)
  const stops: Stop[] = []
  for (const square of crowded) {
    if (squares.stop[square] !== 0) continue
    const id = stops.length + 1
    stops.push(summed(squares, id, gathered(view, squares, square, id)))
  }
  return stops
}

/** Takes the squares that the count of `seed` would cover into stop `id`, and answers them. */
function gathered(view: View, squares: Squares, seed: number, id: number): number[] {
  const { columns, total } = squares
  const own = total[seed]!
  const middleX = squares.x[seed]! / own
  const middleY = squares.y[seed]! / own
  const members = [seed]
  squares.stop[seed] = id
  const column = seed % columns
  for (let row = -REACH_SQUARES; row <= REACH_SQUARES; row += 1) {
    for (let aside = -REACH_SQUARES; aside <= REACH_SQUARES; aside += 1) {
      const square = seed + row * columns + aside
      if (column + aside < 0 || column + aside >= columns || square < 0 || square >= total.length) continue
      const others = total[square]!
      if (others === 0 || squares.stop[square] !== 0) continue
      const apart = Math.hypot(squares.x[square]! / others - middleX, squares.y[square]! / others - middleY)
      if (apart >= stopRadius(own) + (others === 1 ? signSize(view.zoom) / 2 : stopRadius(others))) continue
      squares.stop[square] = id
      members.push(square)
    }
  }
  return members
}

function summed(squares: Squares, id: number, members: readonly number[]): Stop {
  let [x, y, total, alarm] = [0, 0, 0, 0]
  const byState = Array.from({ length: STATES }, () => 0)
  for (const square of members) {
    x += squares.x[square]!
    y += squares.y[square]!
    total += squares.total[square]!
    alarm += squares.alarm[square]!
    for (let state = 0; state < STATES; state += 1) byState[state]! += squares.byState[square * STATES + state]!
  }
  const slots = () => [...squares.found].filter((_, index) => isCounted(squares, index) && squares.stop[squares.of[index]!] === id)
  return { x: x / total, y: y / total, total, alarm, byState, slots }
}

/** What lies under a point: bikes from the top down, or a count. */
export type Hit = { readonly kind: 'bikes'; readonly slots: readonly number[] } | { readonly kind: 'stop'; readonly stop: Stop }

/** How far a finger may miss a sign, px. */
const MISS_PX = 12

/** What is drawn at a point of the canvas, the topmost first; beside all signs the nearest within reach, or null. */
export function hitAt(scene: Scene, x: number, y: number): Hit | null {
  // Counts are drawn over signs.
  for (let index = scene.stops.length - 1; index >= 0; index -= 1) {
    const stop = scene.stops[index]!
    if (Math.hypot(stop.x - x, stop.y - y) <= stopRadius(stop.total)) return { kind: 'stop', stop }
  }
  const radius = signSize(scene.view.zoom) / 2
  const covering: number[] = []
  let nearest = -1
  let least = Math.max(MISS_PX, radius + 4)
  for (let index = scene.slots.length - 1; index >= 0; index -= 1) {
    const apart = Math.hypot(scene.x[index]! - x, scene.y[index]! - y)
    if (apart <= radius) covering.push(scene.slots[index]!)
    else if (apart < least) {
      least = apart
      nearest = scene.slots[index]!
    }
  }
  if (covering.length > 0) return { kind: 'bikes', slots: covering }
  return nearest === -1 ? null : { kind: 'bikes', slots: [nearest] }
}

/** Where the names on the map go. Pure: features and a view in, placed labels out. */
import type { Position } from 'geojson'

import { worldX, worldY } from '@/live/projection'
import type { GroundFeature, GroundKind } from './baseMap'

/** A name and where it may stand, in world pixels at zoom 0. */
export type Named =
  | { readonly form: 'point'; readonly kind: GroundKind; readonly rank: number; readonly text: string; readonly x: number; readonly y: number }
  | { readonly form: 'line'; readonly kind: 'road'; readonly rank: number; readonly text: string; readonly line: Float64Array; readonly box: Box }

/** West, north, east, south. */
export type Box = readonly [number, number, number, number]

/** A label with its place on the canvas. */
export interface PlacedLabel {
  readonly text: string
  readonly kind: GroundKind
  /** 1 is the strongest. */
  readonly rank: number
  readonly x: number
  readonly y: number
  /** Radians, 0 for upright text. */
  readonly angle: number
}

/** The part of the world to label. */
export interface LabelView {
  readonly width: number
  readonly height: number
  readonly scale: number
  readonly originX: number
  readonly originY: number
  readonly zoom: number
}

/** Text sizes in px by rank of what is named. */
export function labelSize(kind: GroundKind, rank: number): number {
  if (kind === 'district') return 15
  if (kind === 'place') return rank === 1 ? 14 : 12
  return rank === 1 ? 12 : 11
}

/** The names in a base map, strongest first. */
export function namesOf(features: readonly GroundFeature[]): Named[] {
  const names: Named[] = []
  for (const feature of features) {
    const { kind, name } = feature.properties
    if (name === '' || kind === 'land') continue
    const { geometry } = feature
    if (kind === 'road') {
      for (const line of linesOf(geometry)) {
        const projected = project(line)
        names.push({ form: 'line', kind, rank: feature.properties.class, text: name, line: projected, box: boxOf(projected) })
      }
      continue
    }
    const middle = middleOf(geometry)
    if (middle !== null) names.push({ form: 'point', kind, rank: feature.properties.class, text: name, x: worldX(middle[0]!), y: worldY(middle[1]!) })
  }
  return names.toSorted((a, b) => strength(a) - strength(b))
}

const kindOrder: Readonly<Record<GroundKind, number>> = { district: 0, place: 1, road: 2, water: 3, park: 4, land: 5 }

function strength(named: Named): number {
  if (named.kind === 'place' && named.rank > 1) return 3 * named.rank
  return kindOrder[named.kind] + named.rank * 2
}

/** The zoom from which a name is worth its room. */
export function labelZoom(kind: GroundKind, rank: number): number {
  if (kind === 'district') return 10
  if (kind === 'place') return [9, 9, 12, 14][rank] ?? 14
  if (kind === 'road') return [12, 12, 14, 16][rank] ?? 16
  return 13
}

/** Places as many labels as fit without touching each other; `measure` gives the width of a text in px. */
export function placeLabels(
  names: readonly Named[],
  view: LabelView,
  measure: (text: string, size: number) => number,
  limit = 220,
): PlacedLabel[] {
  const taken = new Taken(view)
  const placed: PlacedLabel[] = []
  for (const named of names) {
    if (placed.length >= limit) break
    if (view.zoom < labelZoom(named.kind, named.rank) || (named.kind === 'district' && view.zoom > 15)) continue
    const size = labelSize(named.kind, named.rank)
    if (named.form === 'point') {
      const x = named.x * view.scale - view.originX
      const y = named.y * view.scale - view.originY
      const half = measure(named.text, size) / 2 + 4
      if (!taken.claim([[x, y, half, size * 0.75]])) continue
      placed.push({ text: named.text, kind: named.kind, rank: named.rank, x, y, angle: 0 })
    } else if (touches(named.box, view)) {
      placeOnLine(named, size, measure(named.text, size), view, taken, placed)
    }
  }
  return placed
}

/** Distance between two names of the same road, px. */
const REPEAT_PX = 420

function placeOnLine(
  named: Extract<Named, { form: 'line' }>,
  size: number,
  width: number,
  view: LabelView,
  taken: Taken,
  placed: PlacedLabel[],
): void {
  for (const spot of straightSpots(named.line, view.scale, width + 12)) {
    const x = spot.x * view.scale - view.originX
    const y = spot.y * view.scale - view.originY
    if (x < 0 || y < 0 || x > view.width || y > view.height) continue
    const boxes: [number, number, number, number][] = []
    const steps = Math.max(1, Math.ceil(width / size))
    for (let step = 0; step <= steps; step += 1) {
      const along = (step / steps - 0.5) * width
      boxes.push([x + Math.cos(spot.angle) * along, y + Math.sin(spot.angle) * along, size * 0.7, size * 0.7])
    }
    if (taken.claim(boxes)) placed.push({ text: named.text, kind: 'road', rank: named.rank, x, y, angle: spot.angle })
  }
}

/** Middles (world px) of straight stretches at least `need` px long at `scale`, some way apart; fixed to the world. */
export function straightSpots(line: Float64Array, scale: number, need: number): { x: number; y: number; angle: number }[] {
  const spots: { x: number; y: number; angle: number }[] = []
  const points = line.length / 2
  let start = 0
  let sinceLast = REPEAT_PX / 2
  while (start < points - 1) {
    let end = start
    let arc = 0
    while (end < points - 1 && arc < need) {
      arc += step(line, end, scale)
      end += 1
    }
    if (arc < need) break
    const [x1, y1, x2, y2] = [line[start * 2]!, line[start * 2 + 1]!, line[end * 2]!, line[end * 2 + 1]!]
    const chord = Math.hypot(x2 - x1, y2 - y1) * scale
    if (chord >= arc * 0.985 && sinceLast + chord / 2 >= REPEAT_PX / 2) {
      const repeats = Math.max(1, Math.floor(chord / REPEAT_PX))
      for (let part = 0; part < repeats; part += 1) {
        const share = (part + 0.5) / repeats
        spots.push({ x: x1 + (x2 - x1) * share, y: y1 + (y2 - y1) * share, angle: upright(Math.atan2(y2 - y1, x2 - x1)) })
      }
      sinceLast = -REPEAT_PX / 2
      start = end
    } else {
      const first = step(line, start, scale)
      sinceLast += first
      start += 1
    }
  }
  return spots
}

function step(line: Float64Array, at: number, scale: number): number {
  return Math.hypot(line[at * 2 + 2]! - line[at * 2]!, line[at * 2 + 3]! - line[at * 2 + 1]!) * scale
}

/** The angle along which text is read from left to right, never upside down. */
export function upright(angle: number): number {
  if (angle > Math.PI / 2) return angle - Math.PI
  return angle <= -Math.PI / 2 ? angle + Math.PI : angle
}

/** Which cells of a coarse grid are taken; the grid keeps the test cheap for hundreds of labels. */
class Taken {
  private readonly cells = new Map<number, [number, number, number, number][]>()
  constructor(private readonly view: LabelView) {}

  /** Takes all boxes (middle x, y, half width, half height), or none if one of them touches what is taken. */
  claim(boxes: readonly [number, number, number, number][]): boolean {
    for (const [x, y, halfWidth, halfHeight] of boxes) {
      if (x + halfWidth < 0 || y + halfHeight < 0 || x - halfWidth > this.view.width || y - halfHeight > this.view.height) return false
      for (const cell of this.around(x, y, halfWidth, halfHeight)) {
        for (const other of this.cells.get(cell) ?? []) {
          if (Math.abs(other[0] - x) < other[2] + halfWidth && Math.abs(other[1] - y) < other[3] + halfHeight) return false
        }
      }
    }
    for (const box of boxes) {
      for (const cell of this.around(...box)) {
        const list = this.cells.get(cell)
        if (list === undefined) this.cells.set(cell, [box])
        else list.push(box)
      }
    }
    return true
  }

  private *around(x: number, y: number, halfWidth: number, halfHeight: number): Generator<number> {
    const CELL = 64
    for (let column = Math.floor((x - halfWidth) / CELL); column <= Math.floor((x + halfWidth) / CELL); column += 1) {
      for (let row = Math.floor((y - halfHeight) / CELL); row <= Math.floor((y + halfHeight) / CELL); row += 1) yield row * 65_536 + column
    }
  }
}

function touches(box: Box, view: LabelView): boolean {
  return (
    box[2] * view.scale - view.originX >= 0 &&
    box[3] * view.scale - view.originY >= 0 &&
    box[0] * view.scale - view.originX <= view.width &&
    box[1] * view.scale - view.originY <= view.height
  )
}

function linesOf(geometry: GroundFeature['geometry']): readonly Position[][] {
  if (geometry.type === 'LineString') return [geometry.coordinates]
  return geometry.type === 'MultiLineString' ? geometry.coordinates : []
}

function project(line: readonly Position[]): Float64Array {
  const projected = new Float64Array(line.length * 2)
  for (const [index, point] of line.entries()) {
    projected[index * 2] = worldX(point[0]!)
    projected[index * 2 + 1] = worldY(point[1]!)
  }
  return projected
}

function boxOf(line: Float64Array): Box {
  let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let at = 0; at < line.length; at += 2) {
    west = Math.min(west, line[at]!)
    east = Math.max(east, line[at]!)
    north = Math.min(north, line[at + 1]!)
    south = Math.max(south, line[at + 1]!)
  }
  return [west, north, east, south]
}

/** A point a name can stand on: the point itself, the middle of a line, the mean of an outline. */
function middleOf(geometry: GroundFeature['geometry']): Position | null {
  switch (geometry.type) {
    case 'Point':
      return geometry.coordinates
    case 'LineString':
      return geometry.coordinates[Math.floor(geometry.coordinates.length / 2)] ?? null
    case 'MultiLineString':
      return geometry.coordinates[0]?.[Math.floor((geometry.coordinates[0]?.length ?? 0) / 2)] ?? null
    case 'Polygon':
      return centroid(geometry.coordinates[0] ?? [])
    case 'MultiPolygon':
      return centroid(largest(geometry.coordinates.map((polygon) => polygon[0] ?? [])))
    default:
      return null
  }
}

function largest(rings: readonly Position[][]): Position[] {
  return rings.toSorted((a, b) => Math.abs(area(b)) - Math.abs(area(a)))[0] ?? []
}

function area(ring: readonly Position[]): number {
  let twice = 0
  for (let at = 0; at + 1 < ring.length; at += 1) twice += ring[at]![0]! * ring[at + 1]![1]! - ring[at + 1]![0]! * ring[at]![1]!
  return twice / 2
}

function centroid(ring: readonly Position[]): Position | null {
  const [first] = ring
  if (first === undefined) return null
  const whole = area(ring)
  if (whole === 0) return first
  let [x, y] = [0, 0]
  // Relative to the first corner: the products of whole degrees would eat the digits.
  for (let at = 0; at + 1 < ring.length; at += 1) {
    const [ax, ay] = [ring[at]![0]! - first[0]!, ring[at]![1]! - first[1]!]
    const [bx, by] = [ring[at + 1]![0]! - first[0]!, ring[at + 1]![1]! - first[1]!]
    const cross = ax * by - bx * ay
    x += (ax + bx) * cross
    y += (ay + by) * cross
  }
  return [first[0]! + x / (6 * whole), first[1]! + y / (6 * whole)]
}

/** Fences as drafts of another area: their shapes are moved there as they are, in metres. Pure. */
import type { Fence, Geometry } from './fence'
import { drawnOf, type NewFence, originalOf } from './fields'
import { boundsOfRing, type Place, type Ring, ringOf, rounded } from './geometry'
import { planeAt } from './measure'
import { copiedName } from './plan'

/** So many are copied at once. */
export const COPIES_MOST = 200

/** Corners that keep their distances when what lies at `from` comes to lie at `to`. */
export function moved(ring: Ring, from: Place, to: Place): number[][] {
  const [here, there] = [planeAt(from), planeAt(to)]
  return ring.map((corner) => there.degrees(here.flat(corner)).map(rounded))
}

export function movedGeometry(geometry: Geometry, from: Place, to: Place): Geometry {
  if (geometry.type === 'Point') return { ...geometry, coordinates: moved([geometry.coordinates], from, to)[0]! }
  return { ...geometry, coordinates: geometry.coordinates.map((ring) => moved(ring, from, to)) }
}

export function middleOf(ring: Ring): Place {
  const [[south, west], [north, east]] = boundsOfRing(ring)
  return [rounded((west + east) / 2), rounded((south + north) / 2)]
}

/** The middle of all of them. */
export const middleOfAll = (fences: readonly Fence[]): Place => middleOf(fences.flatMap(({ geometry }) => ringOf(geometry)))

/** A draft of an area with the rules of a fence; in its own area under another name. */
export function copyOf(fence: Fence, opAreaId: string, from: Place, to: Place): NewFence {
  const name = fence.opAreaId === opAreaId ? copiedName(fence.name, 2) : fence.name
  const geometry = movedGeometry(fence.geometry, from, to)
  return { ...drawnOf({ ...originalOf(fence.type, fence), name, geometry }), type: fence.type, opAreaId }
}

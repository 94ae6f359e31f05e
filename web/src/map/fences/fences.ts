/** Fences of the map in world pixels, and the part of them a view needs. */
import type { DataOf } from '@/api/shapes'

import { worldX, worldY } from '@/live/projection'

type Answered = DataOf<'/fence/map'>
type Others = 'noRides' | 'customs'

/** What `GET /fence/map` answers, of some fences or all; rings are WGS-84, longitude first. */
export type FenceMap = Omit<Answered, Others> & Partial<Pick<Answered, Others>>

/** A ring ready to draw. */
export interface Shape {
  readonly name: string
  /** x, y, x, y … in world pixels at zoom 0. */
  readonly ring: Float64Array
  readonly west: number
  readonly north: number
  readonly east: number
  readonly south: number
}

export interface Shapes {
  readonly areas: readonly Shape[]
  readonly parkings: readonly Shape[]
  readonly noStops: readonly Shape[]
  readonly noRides: readonly Shape[]
  readonly customs: readonly Shape[]
}

/** Projects the rings once; rings with fewer than three corners are left out. */
export function shapesOf(fences: FenceMap): Shapes {
  return {
    areas: fences.areas.flatMap(shapeOf),
    parkings: fences.parkings.flatMap(shapeOf),
    noStops: fences.noStops.flatMap(shapeOf),
    noRides: (fences.noRides ?? []).flatMap(shapeOf),
    customs: (fences.customs ?? []).flatMap(shapeOf),
  }
}

function shapeOf(fence: Pick<FenceMap['areas'][number], 'name' | 'ring'>): Shape[] {
  if (fence.ring.length < 3) return []
  const ring = new Float64Array(fence.ring.length * 2)
  let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [index, point] of fence.ring.entries()) {
    const x = worldX(point[0]!)
    const y = worldY(point[1]!)
    ring[index * 2] = x
    ring[index * 2 + 1] = y
    west = Math.min(west, x)
    east = Math.max(east, x)
    north = Math.min(north, y)
    south = Math.max(south, y)
  }
  return [{ name: fence.name, ring, west, north, east, south }]
}

/** South-west and north-east corner (lat, lng) around all areas, or null without any. */
export function boundsOf(fences: FenceMap): [[number, number], [number, number]] | null {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const area of fences.areas) {
    for (const point of area.ring) {
      west = Math.min(west, point[0]!)
      east = Math.max(east, point[0]!)
      south = Math.min(south, point[1]!)
      north = Math.max(north, point[1]!)
    }
  }
  return west <= east && south <= north ? [[south, west], [north, east]] : null
}

/** Whether a shape is at least partly in the view. */
export function inView(shape: Shape, view: { scale: number; originX: number; originY: number; width: number; height: number }): boolean {
  return (
    shape.east * view.scale >= view.originX &&
    shape.south * view.scale >= view.originY &&
    shape.west * view.scale <= view.originX + view.width &&
    shape.north * view.scale <= view.originY + view.height
  )
}

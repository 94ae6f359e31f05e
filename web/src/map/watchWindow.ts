import type { Map as LeafletMap } from 'leaflet'

import type { Pick, Viewport } from '@/live/messages'

import { WORLD_PX, worldX, worldY } from '@/live/projection'
import { CLUSTER_ZOOM } from './vehicles/VehicleLayer'

/** How far beyond the view the server is asked to stream, as a share of its size. */
const PADDING = 0.5

export type BoxDegrees = Viewport['bbox']

/** Whether `inner` lies in `outer`. */
export function contains(outer: BoxDegrees, inner: BoxDegrees): boolean {
  return inner[0] >= outer[0] && inner[1] >= outer[1] && inner[2] <= outer[2] && inner[3] <= outer[3]
}

/** The box grown by `share` of its size on every side, kept on the globe. */
export function padded(box: BoxDegrees, share: number): BoxDegrees {
  const width = (box[2] - box[0]) * share
  const height = (box[3] - box[1]) * share
  return [
    Math.max(-180, box[0] - width),
    Math.max(-85, box[1] - height),
    Math.min(180, box[2] + width),
    Math.min(85, box[3] + height),
  ]
}

/**
 * Whether what is watched still serves the view: it lies inside, the streamed area is not far too
 * large for it, and, where counts are sent, they are of the same level.
 */
export function stillServes(watched: Viewport, view: BoxDegrees, zoom: number): boolean {
  const counted = zoom <= CLUSTER_ZOOM || watched.zoom <= CLUSTER_ZOOM
  if (counted && watched.zoom !== zoom) return false
  const tooLarge = watched.bbox[2] - watched.bbox[0] > (view[2] - view[0]) * (1 + 2 * PADDING) * 3
  return !tooLarge && contains(watched.bbox, view)
}

/** Tiles of level 14 that the server lets a viewport of single bikes touch, and the zoom from which it sends them. */
const MOST_TILES = 16_384
const SINGLE_ZOOM = 12
const TILE_LEVEL = 14

/** Whether the server would send every bike of `box`. */
export function canSendAll(box: BoxDegrees): boolean {
  const tile = 2 ** TILE_LEVEL / WORLD_PX
  const columns = Math.floor(worldX(box[2]) * tile) - Math.floor(worldX(box[0]) * tile) + 1
  const rows = Math.floor(worldY(box[1]) * tile) - Math.floor(worldY(box[3]) * tile) + 1
  return columns * rows <= MOST_TILES
}

/** The box around both. */
function around(a: BoxDegrees, b: BoxDegrees): BoxDegrees {
  return [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])]
}

/**
 * What to watch for `view`, given what is watched already; null leaves that as it is. With `all`, the box of a list
 * that has to hold every bike wherever the map looks, single bikes are watched in both.
 */
export function nextWatch(watched: Viewport | null, view: BoxDegrees, zoom: number, all: BoxDegrees | null): Viewport | null {
  const whole = all === null ? null : around(all, view)
  if (whole !== null && canSendAll(whole)) {
    return watched !== null && watched.zoom >= SINGLE_ZOOM && contains(watched.bbox, whole) ? null : { bbox: whole, zoom: Math.max(zoom, SINGLE_ZOOM) }
  }
  return watched !== null && stillServes(watched, view, zoom) ? null : { bbox: padded(view, PADDING), zoom }
}

/**
 * What to watch of what is picked: single bikes at any zoom, in the view and in `all`. Null leaves what is watched as it
 * is.
 */
export function nextPick(watched: Viewport | null, view: BoxDegrees, zoom: number, all: BoxDegrees | null, pick: Pick): Viewport | null {
  const whole = all === null ? view : around(all, view)
  if (watched !== null && watched.pick === pick && contains(watched.bbox, whole)) return null
  return { bbox: padded(whole, PADDING), zoom, pick }
}

/** Answers a function that tells `look` what to watch whenever the view has outgrown what is watched. */
export function watchWindow(map: LeafletMap, look: (viewport: Viewport) => void): (all: BoxDegrees | null, pick: Pick | null) => void {
  let watched: Viewport | null = null
  return (all, pick) => {
    const bounds = map.getBounds()
    const view: BoxDegrees = [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()]
    const zoom = Math.floor(map.getZoom())
    const unpicked = watched?.pick === undefined ? watched : null
    const next = pick === null ? nextWatch(unpicked, view, zoom, all) : nextPick(watched, view, zoom, all, pick)
    if (next === null) return
    watched = next
    look(watched)
  }
}

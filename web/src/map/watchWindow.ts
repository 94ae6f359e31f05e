import type { Map as LeafletMap } from 'leaflet'

import type { Viewport } from '@/live/messages'

import { CLUSTER_ZOOM } from './vehicles/VehicleLayer'

/** How far beyond the view the server is asked to stream, as a share of its size. */
const PADDING = 0.5

type BoxDegrees = Viewport['bbox']

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

/** Answers a function that tells `look` what to watch whenever the view has outgrown what is watched. */
export function watchWindow(map: LeafletMap, look: (viewport: Viewport) => void): () => void {
  let watched: Viewport | null = null
  return () => {
    const bounds = map.getBounds()
    const view: BoxDegrees = [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()]
    const zoom = Math.floor(map.getZoom())
    if (watched !== null && stillServes(watched, view, zoom)) return
    watched = { bbox: padded(view, PADDING), zoom }
    look(watched)
  }
}

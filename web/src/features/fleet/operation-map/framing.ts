/** Bringing things into the part of the map that strip, rail and drawer leave free, wherever the style sheet puts them. */
import L from 'leaflet'

import { prefersStillness } from '@/map/MapView'

import { freePart, panOffset, type Box } from './freePart'

/** Nearer than counts: the found bike is drawn by itself. */
const FOUND_ZOOM = 18
const SPARE_PX = 12

/** Where a panel lies on the map; null when it is not drawn. */
function boxOf(map: L.Map, selector: string): Box | null {
  const corner = map.getContainer().getBoundingClientRect()
  const box = map.getContainer().closest('.opmap')?.querySelector(selector)?.getBoundingClientRect()
  if (box === undefined || box.width === 0) return null
  return { left: box.left - corner.left, top: box.top - corner.top, right: box.right - corner.left, bottom: box.bottom - corner.top }
}

function free(map: L.Map): Box {
  const wide = boxOf(map, '.opmap-left')
  return freePart(map.getSize(), { left: wide, top: boxOf(map, '.opmap-kpis'), drawer: boxOf(map, '.opmap-drawer') })
}

function paddings(map: L.Map): { paddingTopLeft: L.PointTuple; paddingBottomRight: L.PointTuple } {
  const size = map.getSize()
  const part = free(map)
  return {
    paddingTopLeft: [part.left + SPARE_PX, part.top + SPARE_PX],
    paddingBottomRight: [size.x - part.right + SPARE_PX, size.y - part.bottom + SPARE_PX],
  }
}

/** Moves the map just so far that the place is not under a panel; looks from nearer where its bounds hold it back. */
export function bringIntoView(map: L.Map, lat: number, lng: number): void {
  const offset = panOffset(map.latLngToContainerPoint([lat, lng]), free(map))
  if (offset[0] === 0 && offset[1] === 0) return
  const zoom = map.getZoom()
  if (mayShow(map, map.project(map.getCenter(), zoom).add(offset), zoom)) map.panBy(offset, { animate: !prefersStillness() })
  else flyToBike(map, lat, lng, zoom + 1)
}

/** Whether the map's bounds hold all that it shows around `center`, px of the world at `zoom`. */
function mayShow(map: L.Map, center: L.Point, zoom: number): boolean {
  const { maxBounds } = map.options
  if (!(maxBounds instanceof L.LatLngBounds)) return true
  const half = map.getSize().divideBy(2)
  const world = L.bounds(map.project(maxBounds.getNorthWest(), zoom), map.project(maxBounds.getSouthEast(), zoom))
  return world.contains(L.bounds(center.subtract(half), center.add(half)))
}

/** Shows all of `bounds` in the free part; the strip covers only the middle of the upper edge and is let lie on it. */
export function fitFree(map: L.Map, bounds: L.LatLngBoundsExpression): void {
  const { paddingTopLeft, paddingBottomRight } = paddings(map)
  const size = map.getSize()
  const top = size.x > size.y ? SPARE_PX : paddingTopLeft[1]
  map.fitBounds(bounds, { paddingTopLeft: [paddingTopLeft[0], top], paddingBottomRight, animate: !prefersStillness() })
}

/** Flies to a bike, which ends in the middle of the free part; from no farther than `least`. */
export function flyToBike(map: L.Map, lat: number, lng: number, least = FOUND_ZOOM): void {
  const size = map.getSize()
  const part = free(map)
  const shift = L.point(size.x / 2 - (part.left + part.right) / 2, size.y / 2 - (part.top + part.bottom) / 2)
  const middle = (zoom: number) => map.project([lat, lng], zoom).add(shift)
  let zoom = Math.max(map.getZoom(), least)
  while (zoom < FOUND_ZOOM && !mayShow(map, middle(zoom), zoom)) zoom += 1
  const center = map.unproject(middle(zoom), zoom)
  if (prefersStillness()) map.setView(center, zoom)
  else map.flyTo(center, zoom, { duration: 0.8 })
}

/** Shows all points in the free part. */
export function fitPoints(map: L.Map, points: readonly { readonly lat: number; readonly lng: number }[]): void {
  const bounds = L.latLngBounds(points.map((point) => [point.lat, point.lng]))
  map.fitBounds(bounds, { ...paddings(map), maxZoom: FOUND_ZOOM, animate: !prefersStillness() })
}

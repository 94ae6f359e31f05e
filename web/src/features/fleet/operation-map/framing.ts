/** Bringing things into the part of the map that rail and drawer leave free. */
import L from 'leaflet'

import { prefersStillness } from '@/map/MapView'

const FOUND_ZOOM = 17
/** Below this width the drawer lies at the bottom, not at the side. */
const NARROW_PX = 700

/** Px of the map's edges that panels cover while the drawer is open: left, top, right, bottom. */
export function covered(width: number, height: number): readonly [number, number, number, number] {
  if (width <= NARROW_PX) return [24, 128, 24, Math.round(height * 0.68) + 24]
  return [248, 96, width <= 1240 ? 440 : 520, 40]
}

function paddings(map: L.Map): { paddingTopLeft: L.PointTuple; paddingBottomRight: L.PointTuple } {
  const size = map.getSize()
  const [left, top, right, bottom] = covered(size.x, size.y)
  return { paddingTopLeft: [left, top], paddingBottomRight: [right, bottom] }
}

/** Moves the map just so far that the place is not under a panel. */
export function bringIntoView(map: L.Map, lat: number, lng: number): void {
  map.panInside([lat, lng], { ...paddings(map), animate: !prefersStillness() })
}

/** Flies to a bike, which ends in the middle of the free part. */
export function flyToBike(map: L.Map, lat: number, lng: number): void {
  const zoom = Math.max(map.getZoom(), FOUND_ZOOM)
  const size = map.getSize()
  const [left, top, right, bottom] = covered(size.x, size.y)
  const shift = L.point((right - left) / 2, (bottom - top) / 2)
  const center = map.unproject(map.project([lat, lng], zoom).add(shift), zoom)
  if (prefersStillness()) map.setView(center, zoom)
  else map.flyTo(center, zoom, { duration: 0.8 })
}

/** Shows all points in the free part. */
export function fitPoints(map: L.Map, points: readonly { readonly lat: number; readonly lng: number }[]): void {
  const bounds = L.latLngBounds(points.map((point) => [point.lat, point.lng]))
  map.fitBounds(bounds, { ...paddings(map), maxZoom: FOUND_ZOOM, animate: !prefersStillness() })
}

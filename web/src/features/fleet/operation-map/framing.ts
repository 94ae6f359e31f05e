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

/** Px of the map's edges that panels cover without the drawer; the rail of a narrow map lies folded at the bottom. */
export function railed(width: number, height: number): readonly [number, number, number, number] {
  if (width <= NARROW_PX) return [12, 128, 12, 56]
  // The strip covers only the middle of the upper edge: worth more than a whole step of the zoom.
  return width > height ? [240, 12, 24, 12] : [24, 416, 24, 24]
}

/** Shows all of `bounds` in the part that the rail and the strip leave free. */
export function fitFree(map: L.Map, bounds: L.LatLngBoundsExpression): void {
  const size = map.getSize()
  const [left, top, right, bottom] = railed(size.x, size.y)
  map.fitBounds(bounds, { paddingTopLeft: [left, top], paddingBottomRight: [right, bottom], animate: !prefersStillness() })
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

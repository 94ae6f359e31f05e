/** What lies beyond the edge of a base map: its land and water go on instead of ending in a straight line. Pure. */
import type { Position } from 'geojson'

import type { GroundFeature } from './baseMap'

/** West, south, east, north in degrees. */
export type Extent = readonly [number, number, number, number]

/** How far land and water go on, degrees: farther than anybody can look. */
const BEYOND = 4
/** A corner so near the edge, as a share of the map's size, was cut there. */
const NEAR = 0.005

/** The box around the land of a base map; null without any. */
export function extentOf(features: readonly GroundFeature[]): Extent | null {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { geometry, properties } of features) {
    if (properties.kind !== 'land') continue
    for (const [lng = 0, lat = 0] of cornersOf(geometry)) {
      west = Math.min(west, lng)
      east = Math.max(east, lng)
      south = Math.min(south, lat)
      north = Math.max(north, lat)
    }
  }
  return west < east && south < north ? [west, south, east, north] : null
}

/** The same base map with what was cut at its edge drawn on: each corner of land and water there is moved straight outward. */
export function goneOn(features: readonly GroundFeature[]): GroundFeature[] {
  const extent = extentOf(features)
  if (extent === null) return [...features]
  return features.map((feature) => {
    const { kind } = feature.properties
    if (kind !== 'land' && kind !== 'water') return feature
    const { geometry } = feature
    if (geometry.type === 'Polygon') return { ...feature, geometry: { ...geometry, coordinates: rings(geometry.coordinates, extent) } }
    if (geometry.type === 'MultiPolygon') {
      return { ...feature, geometry: { ...geometry, coordinates: geometry.coordinates.map((polygon) => rings(polygon, extent)) } }
    }
    return feature
  })
}

function rings(polygon: readonly Position[][], extent: Extent): Position[][] {
  return polygon.map((ring) => ring.map((corner) => movedOut(corner, extent)))
}

function movedOut([lng = 0, lat = 0]: Position, [west, south, east, north]: Extent): Position {
  return [pushed(lng, west, east), pushed(lat, south, north)]
}

function pushed(at: number, least: number, most: number): number {
  const near = (most - least) * NEAR
  if (at <= least + near) return least - BEYOND
  return at >= most - near ? most + BEYOND : at
}

function cornersOf(geometry: GroundFeature['geometry']): Position[] {
  if (geometry.type === 'Polygon') return geometry.coordinates.flat()
  return geometry.type === 'MultiPolygon' ? geometry.coordinates.flat(2) : []
}

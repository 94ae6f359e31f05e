/** The corners of an area's edge: which of them can be taken hold of, and what becomes of the edge then. Degrees, WGS-84. */
import type { Geometry } from '../fence/fence'
import { type Place, polygonOf, read, type Ring, rounded } from '../fence/geometry'

export { polygonOf }
export type { Place, Ring } from '../fence/geometry'

export interface Box {
  west: number
  south: number
  east: number
  north: number
}

export const CORNERS_LEAST = 3
export const CORNERS_MOST = 10_000
/** So many corners in sight can be told apart and taken hold of; with more of them one goes nearer. */
export const HANDLES_MOST = 120

/** The ring of an edge; a circle has none. */
export const cornersOf = (geometry: Geometry | null): Ring => (geometry?.type === 'Polygon' ? (geometry.coordinates[0] ?? []) : [])

/** How many corners a closed ring has. */
export const countOf = (ring: Ring) => Math.max(0, ring.length - 1)

const isIn = ([lng, lat]: readonly number[], { west, south, east, north }: Box) => lng! >= west && lng! <= east && lat! >= south && lat! <= north

/** Which corners lie in a box. */
export function cornersIn(ring: Ring, box: Box): number[] {
  return Array.from({ length: countOf(ring) }, (_, index) => index).filter((index) => isIn(ring[index]!, box))
}

/** Of these corners those nearest to a place, at most so many. */
export function nearest(ring: Ring, corners: readonly number[], [lng, lat]: Place, most: number): number[] {
  const wide = Math.cos((lat * Math.PI) / 180)
  const away = (index: number) => Math.hypot((ring[index]![0]! - lng) * wide, ring[index]![1]! - lat)
  return corners.toSorted((a, b) => away(a) - away(b)).slice(0, most)
}

/** The middle of the side from this corner to the next. */
export function middleOf(ring: Ring, index: number): Place {
  const [from, to] = [ring[index]!, ring[index + 1]!]
  return [rounded((from[0]! + to[0]!) / 2), rounded((from[1]! + to[1]!) / 2)]
}

/** Which sides, each known by the corner that it begins at, have their middle in a box. */
export function sidesIn(ring: Ring, box: Box): number[] {
  return Array.from({ length: countOf(ring) }, (_, index) => index).filter((index) => isIn(middleOf(ring, index), box))
}

function closed(corners: readonly (readonly number[])[]): Ring {
  return [...corners, corners[0]!]
}

/** The ring with one of its corners elsewhere. */
export function moved(ring: Ring, index: number, [lng, lat]: Place): Ring {
  return closed(ring.slice(0, -1).with(index, [rounded(lng), rounded(lat)]))
}

/** The ring with another corner on the side that begins at this one. */
export function inserted(ring: Ring, index: number, [lng, lat]: Place): Ring {
  return closed(ring.slice(0, -1).toSpliced(index + 1, 0, [rounded(lng), rounded(lat)]))
}

/** The ring without one of its corners; the same when it has no more than it needs. */
export function removed(ring: Ring, index: number): Ring {
  return countOf(ring) <= CORNERS_LEAST ? ring : closed(ring.slice(0, -1).toSpliced(index, 1))
}

/** What stands in the way of an edge, or null. */
export function fault(geometry: Geometry | null): string | null {
  const count = countOf(cornersOf(geometry))
  return count >= CORNERS_LEAST && count <= CORNERS_MOST ? null : `边界需要 3 到 ${CORNERS_MOST.toLocaleString()} 个顶点，现有 ${count.toLocaleString()} 个`
}

/** The edge that a text says: lines of `longitude, latitude`, or GeoJSON with one polygon without holes. Null when it says none. */
export function readEdge(text: string): Geometry | null {
  if (text.trimStart().startsWith('{')) return readGeoJson(text)
  const geometry = read(text)
  return geometry?.type === 'Polygon' ? geometry : null
}

interface GeoJson {
  type?: unknown
  features?: unknown
  geometry?: unknown
  coordinates?: unknown
}

function readGeoJson(text: string): Geometry | null {
  try {
    const rings = ringsOf(JSON.parse(text))
    const [ring] = rings
    if (rings.length !== 1 || !Array.isArray(ring)) return null
    const corners = (ring as unknown[]).map((corner) => (Array.isArray(corner) ? [Number(corner[0]), Number(corner[1])] : []))
    if (corners.length <= CORNERS_LEAST || corners.some((corner) => corner.length !== 2 || !corner.every(Number.isFinite))) return null
    return polygonOf(corners)
  } catch {
    return null
  }
}

/** All rings of all polygons. */
function ringsOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  const { type, features, geometry, coordinates } = value as GeoJson
  if (type === 'FeatureCollection' && Array.isArray(features)) return features.flatMap(ringsOf)
  if (type === 'Feature') return ringsOf(geometry)
  if (type === 'Polygon' && Array.isArray(coordinates)) return coordinates as unknown[]
  if (type === 'MultiPolygon' && Array.isArray(coordinates)) return coordinates.flat() as unknown[]
  return []
}

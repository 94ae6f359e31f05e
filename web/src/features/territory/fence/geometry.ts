/** Between what the wire says of a fence's edge and what the drawing tool has. Degrees, WGS-84, longitude first. */
import { type Datum, fromWgs84, toWgs84 } from '@/map/datum'
import type { Geometry } from './fence'

export type Place = readonly [lng: number, lat: number]
/** `[lng, lat]` corners, the first repeated at the end. */
export type Ring = readonly (readonly number[])[]

/** Corners that a fence may have. */
export const CORNERS_MOST = 500
/** Square metres that it must have. */
export const AREA_LEAST_M2 = 1

/** The tool takes no finer degrees: a tenth of a millimetre. */
export const DIGITS = 9
export const rounded = (degree: number) => Number(degree.toFixed(DIGITS))

/** So near a map goes to show a parking place of two metres by six: as near as it can. */
export const ZOOM_MOST = 19

/** Kilometres of a degree of latitude. */
const KM_A_DEGREE = 111.32
const CIRCLE_CORNERS = 64

/** Corners of a circle, closed. */
export function circleCorners([lng, lat]: Place, radius_m: number): number[][] {
  const [north, east] = [radius_m / 1000 / KM_A_DEGREE, radius_m / 1000 / (KM_A_DEGREE * Math.cos((lat * Math.PI) / 180))]
  const corners = Array.from({ length: CIRCLE_CORNERS }, (_, n) => {
    const angle = (n / CIRCLE_CORNERS) * 2 * Math.PI
    return [rounded(lng + east * Math.cos(angle)), rounded(lat + north * Math.sin(angle))]
  })
  return [...corners, corners[0]!]
}

/** The closed ring of an edge. */
export function ringOf(geometry: Geometry): number[][] {
  if (geometry.type === 'Point') return circleCorners([geometry.coordinates[0]!, geometry.coordinates[1]!], geometry.radiusM)
  return (geometry.coordinates[0] ?? []).map(([lng, lat]) => [rounded(lng!), rounded(lat!)])
}

/** What has these corners. */
export const polygonOf = (ring: Ring): Geometry => ({ type: 'Polygon', coordinates: [ring.map((corner) => [...corner])] })

/** South-west and north-east corner, `[lat, lng]`. */
export function boundsOfRing(ring: readonly (readonly number[])[]): [[number, number], [number, number]] {
  // Not by spreading: there may be more corners than a call takes arguments.
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [lng, lat] of ring) {
    west = Math.min(west, lng!)
    east = Math.max(east, lng!)
    south = Math.min(south, lat!)
    north = Math.max(north, lat!)
  }
  return [
    [south, west],
    [north, east],
  ]
}

/** What was drawn as the wire has it; a circle by its radius. */
export function geometryOf(ring: number[][], radiusKilometers: unknown): Geometry {
  if (typeof radiusKilometers !== 'number') return { type: 'Polygon', coordinates: [ring] }
  const [[south, west], [north, east]] = boundsOfRing(ring)
  return { type: 'Point', coordinates: [rounded((west + east) / 2), rounded((south + north) / 2)], radiusM: Math.round(radiusKilometers * 10_000) / 10 }
}

/** An edge out of WGS-84 into a datum, or from there in. */
export function converted(geometry: Geometry, datum: Datum, way: 'in' | 'out'): Geometry {
  const place = (corner: readonly number[]) => (way === 'in' ? toWgs84 : fromWgs84)(datum, corner)
  if (geometry.type === 'Point') return { ...geometry, coordinates: place(geometry.coordinates) }
  return { ...geometry, coordinates: geometry.coordinates.map((ring) => ring.map(place)) }
}

/** The corners as lines of `longitude, latitude`; of a circle its middle and radius. */
export function written(geometry: Geometry | null): string {
  if (geometry === null) return ''
  const line = (corner: readonly number[]) => corner.map(rounded).join(', ')
  if (geometry.type === 'Point') return `${line(geometry.coordinates)}, ${geometry.radiusM}`
  return (geometry.coordinates[0] ?? []).slice(0, -1).map(line).join('\n')
}

/** What lines of numbers say; null when they are neither three corners or more nor a middle with a radius. */
export function read(text: string): Geometry | null {
  const lines = text.split(/[\n;；]/).map((line) => line.trim()).filter((line) => line !== '')
  const numbers = lines.map((line) => line.split(/[\s,，]+/).map(Number))
  if (numbers.flat().some((number) => !Number.isFinite(number))) return null
  if (numbers.length === 1 && numbers[0]?.length === 3) {
    const [lng, lat, radiusM] = numbers[0] as [number, number, number]
    return { type: 'Point', coordinates: [lng, lat], radiusM }
  }
  if (numbers.length < 3 || numbers.some((corner) => corner.length !== 2)) return null
  const first = numbers[0]!
  const last = numbers.at(-1)!
  const closed = first[0] === last[0] && first[1] === last[1]
  return { type: 'Polygon', coordinates: [closed ? numbers : [...numbers, first]] }
}

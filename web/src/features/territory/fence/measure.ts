/** Lengths and areas on the ground, by the plane that the server measures on (`crates/geofence/src/plane.rs`). Degrees, WGS-84. */
import { boundsOfRing, type Place, type Ring } from './geometry'

/** Half the longer axis of the ellipsoid in metres, and the square of its first eccentricity. */
const SEMI_MAJOR_M = 6_378_137
const ECCENTRICITY_2 = 0.006_694_379_990_14
const RADIANS = Math.PI / 180

/** `[east, north]`, metres. */
export type Flat = readonly [east: number, north: number]

/** The plane that touches the ground at a place. */
export interface Plane {
  flat(corner: readonly number[]): Flat
  degrees(point: Flat): Place
}

export function planeAt([lng, lat]: readonly number[]): Plane {
  const sin = Math.sin(lat! * RADIANS)
  const flatness = 1 - ECCENTRICITY_2 * sin * sin
  const across_m = SEMI_MAJOR_M / Math.sqrt(flatness)
  const east_m = across_m * Math.cos(lat! * RADIANS) * RADIANS
  const north_m = ((across_m * (1 - ECCENTRICITY_2)) / flatness) * RADIANS
  return {
    flat: ([x, y]) => [(x! - lng!) * east_m, (y! - lat!) * north_m],
    degrees: ([east, north]) => [lng! + east / east_m, lat! + north / north_m],
  }
}

/** The plane in the middle of a ring or line. */
export function planeOf(ring: Ring): Plane {
  const [[south, west], [north, east]] = boundsOfRing(ring)
  return planeAt([(west + east) / 2, (south + north) / 2])
}

/** Metres from each corner to the next. */
export function sides_m(line: Ring): number[] {
  return line.slice(1).map((to, n) => {
    const [east, north] = planeAt(line[n]!).flat(to)
    return Math.hypot(east, north)
  })
}

export const sum = (figures: readonly number[]) => figures.reduce((all, one) => all + one, 0)

/** Twice what corners on a plane enclose, negative when they run clockwise. */
export function doubled(points: readonly Flat[]): number {
  return sum(points.map(([x, y], n) => {
    const [nextX, nextY] = points[(n + 1) % points.length]!
    return x * nextY - nextX * y
  }))
}

/** Square metres within a ring, closed or not. */
export function area_m2(ring: Ring): number {
  if (ring.length < 3) return 0
  return Math.abs(doubled(ring.map(planeOf(ring).flat))) / 2
}

/** Metres, as people read them. */
export function formatLength(length_m: number): string {
  if (length_m >= 10_000) return `${(length_m / 1000).toFixed(2)} km`
  return `${length_m >= 100 ? Math.round(length_m).toLocaleString('zh-CN') : length_m.toFixed(1)} m`
}

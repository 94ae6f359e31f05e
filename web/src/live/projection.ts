/**
 * Web Mercator as Leaflet draws it: world pixels at zoom 0 (the world is 256 px wide), WGS-84 in.
 * At zoom z a world pixel is 2^z screen pixels.
 */

export const WORLD_PX = 256
const MAX_LAT = 85.0511287798
const RADIANS = Math.PI / 180

/** World x at zoom 0 of a longitude in degrees. */
export function worldX(lng: number): number {
  return (lng / 360 + 0.5) * WORLD_PX
}

/** World y at zoom 0 of a latitude in degrees; beyond the square world it is held at the edge. */
export function worldY(lat: number): number {
  const held = Math.max(-MAX_LAT, Math.min(MAX_LAT, lat))
  const sin = Math.sin(held * RADIANS)
  return (0.5 - Math.log((1 + sin) / (1 - sin)) / (4 * Math.PI)) * WORLD_PX
}

/** Longitude in degrees of a world x at zoom 0. */
export function lngOf(x: number): number {
  return (x / WORLD_PX - 0.5) * 360
}

/** Latitude in degrees of a world y at zoom 0. */
export function latOf(y: number): number {
  return Math.atan(Math.sinh(Math.PI * (1 - (2 * y) / WORLD_PX))) / RADIANS
}

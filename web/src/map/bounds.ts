/** How far the map may be looked at. Pure. */
import type { Extent } from './base/beyond'

/** South-west and north-east corner, latitude first. */
export type Corners = readonly [readonly [number, number], readonly [number, number]]

/** How far beyond city and areas one may look, as a share of their size. */
const MARGIN = 0.6

/** Corners of what may be looked at: the base map and what has to be reached on it; null when neither is known. */
export function looksWithin(extent: Extent | null, reach: Corners | null): Corners | null {
  const base: Corners | null = extent === null ? null : [[extent[1], extent[0]], [extent[3], extent[2]]]
  const both = [base, reach].filter((box) => box !== null)
  if (both.length === 0) return null
  const south = Math.min(...both.map((box) => box[0][0]))
  const west = Math.min(...both.map((box) => box[0][1]))
  const north = Math.max(...both.map((box) => box[1][0]))
  const east = Math.max(...both.map((box) => box[1][1]))
  const [high, wide] = [(north - south) * MARGIN, (east - west) * MARGIN]
  return [[south - high, west - wide], [north + high, east + wide]]
}

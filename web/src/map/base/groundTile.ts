import type { RawFeature } from 'geojson-vt'

import type { MapPalette } from '../palette'
import type { GroundTags } from './baseMap'

/** Size of a tile's own coordinates. */
export const EXTENT = 4096
export const TILE_PX = 256

const mainRoadPx: Readonly<Record<number, number>> = {
  9: 0.8, 10: 1, 11: 1.5, 12: 2.2, 13: 3.2, 14: 5, 15: 7.5, 16: 11, 17: 16, 18: 24,
}
const share = { 1: 1, 2: 0.62, 3: 0.4 } as const
const firstZoom = { 1: 0, 2: 11, 3: 13 } as const

/** Width in px of a road of `weight` at `zoom`; 0 when it is not drawn there. */
export function roadWidth(weight: 1 | 2 | 3, zoom: number): number {
  if (zoom < firstZoom[weight]) return 0
  const main = mainRoadPx[Math.max(9, Math.min(18, Math.floor(zoom)))] ?? 1
  return Math.max(0.6, main * share[weight])
}

type Pass = (tags: GroundTags) => boolean

/** Paints one tile, `px` CSS px wide, on a context already scaled to CSS px. */
export function drawGroundTile(
  ctx: CanvasRenderingContext2D,
  features: readonly RawFeature[],
  zoom: number,
  palette: MapPalette,
): void {
  ctx.fillStyle = palette.outside
  ctx.fillRect(0, 0, TILE_PX, TILE_PX)
  ctx.lineJoin = 'round'
  ctx.lineCap = 'round'
  fill(ctx, features, (tags) => tags.kind === 'land', palette.land)
  fill(ctx, features, (tags) => tags.kind === 'park', palette.park)
  fill(ctx, features, (tags) => tags.kind === 'water', palette.water)
  stroke(ctx, features, (tags) => tags.kind === 'water', palette.water, zoom < 13 ? 1.5 : 4, 2)
  for (const weight of [3, 2, 1] as const) {
    const width = roadWidth(weight, zoom)
    if (width === 0) continue
    const pass: Pass = (tags) => tags.kind === 'road' && tags.class === weight
    if (width > 1.8) stroke(ctx, features, pass, palette.roadEdge, width + 1.6)
    stroke(ctx, features, pass, width > 1.8 ? palette.road[weight - 1]! : thin(palette, weight), width)
  }
  ctx.setLineDash([7, 4, 1.5, 4])
  stroke(ctx, features, (tags) => tags.kind === 'district', palette.district, 1.2)
  ctx.setLineDash([])
}

/** Thin roads without an edge need a tone that stands against the land. */
function thin(palette: MapPalette, weight: 1 | 2 | 3): string {
  return palette.road[weight - 1] === '#FFFFFF' || weight === 3 ? palette.roadEdge : palette.road[weight - 1]!
}

function fill(ctx: CanvasRenderingContext2D, features: readonly RawFeature[], pass: Pass, color: string): void {
  ctx.fillStyle = color
  for (const feature of features) {
    if (feature.type !== 3 || !pass(feature.tags as unknown as GroundTags)) continue
    ctx.beginPath()
    for (const ring of feature.geometry) trace(ctx, ring)
    ctx.fill('evenodd')
  }
}

function stroke(
  ctx: CanvasRenderingContext2D,
  features: readonly RawFeature[],
  pass: Pass,
  color: string,
  width: number,
  only?: 2,
): void {
  ctx.strokeStyle = color
  ctx.lineWidth = width
  ctx.beginPath()
  for (const feature of features) {
    if (feature.type === 1 || feature.type === 4 || (only !== undefined && feature.type !== only)) continue
    if (!pass(feature.tags as unknown as GroundTags)) continue
    for (const line of feature.geometry) trace(ctx, line)
  }
  ctx.stroke()
}

function trace(ctx: CanvasRenderingContext2D, line: ArrayLike<number>): void {
  const scale = TILE_PX / EXTENT
  for (let at = 0; at + 1 < line.length; at += 2) {
    const x = line[at]! * scale
    const y = line[at + 1]! * scale
    if (at === 0) ctx.moveTo(x, y)
    else ctx.lineTo(x, y)
  }
}

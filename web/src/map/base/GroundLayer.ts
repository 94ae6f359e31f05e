import GeoJSONVT from 'geojson-vt'
import L from 'leaflet'

import type { Daylight } from '../palette'
import { mapPalettes } from '../palette'
import type { GroundFeature } from './baseMap'
import { drawGroundTile, EXTENT, TILE_PX } from './groundTile'

/** Cuts base-map features into tiles; once for each base map. */
export function indexGround(features: readonly GroundFeature[]): GeoJSONVT {
  return new GeoJSONVT(
    { type: 'FeatureCollection', features: [...features] },
    { maxZoom: 18, indexMaxZoom: 6, tolerance: 3, extent: EXTENT, buffer: 128 },
  )
}

/** The vector base map as canvas tiles. */
export class GroundLayer extends L.GridLayer {
  constructor(
    private readonly index: GeoJSONVT,
    private readonly daylight: Daylight,
  ) {
    super({ tileSize: TILE_PX, minZoom: 3, maxZoom: 19, maxNativeZoom: 18, updateWhenZooming: false, keepBuffer: 3 })
  }

  protected override createTile(coords: L.Coords): HTMLElement {
    const tile = document.createElement('canvas')
    const density = Math.max(1, window.devicePixelRatio)
    tile.width = TILE_PX * density
    tile.height = TILE_PX * density
    const ctx = tile.getContext('2d')
    if (ctx !== null) {
      ctx.scale(density, density)
      const cut = this.index.getTileRaw(coords.z, coords.x, coords.y)
      drawGroundTile(ctx, cut?.features ?? [], coords.z, mapPalettes[this.daylight])
    }
    return tile
  }
}

/** A plain grid, for when there is no base map: bikes still have a place and a distance. */
export class GridLayer extends L.GridLayer {
  constructor(private readonly daylight: Daylight) {
    super({ tileSize: TILE_PX, minZoom: 3, maxZoom: 19 })
  }

  protected override createTile(): HTMLElement {
    const tile = document.createElement('canvas')
    tile.width = TILE_PX
    tile.height = TILE_PX
    const ctx = tile.getContext('2d')
    if (ctx !== null) {
      const palette = mapPalettes[this.daylight]
      ctx.fillStyle = palette.land
      ctx.fillRect(0, 0, TILE_PX, TILE_PX)
      ctx.fillStyle = palette.grid
      for (let at = 0; at < TILE_PX; at += 64) {
        ctx.fillRect(at, 0, 1, TILE_PX)
        ctx.fillRect(0, at, TILE_PX, 1)
      }
    }
    return tile
  }
}

/** Where the picture of a GCJ-02 map lies on a map of WGS-84 (docs/adr/0044). Pure. */
import { latOf, lngOf, WORLD_PX, worldX, worldY } from '@/live/projection'
import { fromWgs84, toWgs84 } from '../datum'

/** World pixels at zoom 0. */
type Spot = readonly [x: number, y: number]

/** Where a spot of the map lies in the picture. */
export function inPicture([x, y]: Spot): Spot {
  const [lng, lat] = fromWgs84('gcj02', [lngOf(x), latOf(y)])
  return [worldX(lng!), worldY(lat!)]
}

/** Where a spot of the picture lies on the map. */
export function onMap([x, y]: Spot): Spot {
  const [lng, lat] = toWgs84('gcj02', [lngOf(x), latOf(y)])
  return [worldX(lng!), worldY(lat!)]
}

/**
 * The box of a tile on the map, whole pixels at the tile's zoom. An edge lies in the middle of its two corners: so that of one tile
 * is that of its neighbour, and nothing shows between them.
 */
export function tileBox({ x, y, z }: { x: number; y: number; z: number }): { left: number; top: number; right: number; bottom: number } {
  const [tile, scale] = [WORLD_PX / 2 ** z, 2 ** z]
  const at = (column: number, row: number) => onMap([column * tile, row * tile])
  const [northWest, northEast, southWest, southEast] = [at(x, y), at(x + 1, y), at(x, y + 1), at(x + 1, y + 1)]
  const middle = (a: number, b: number) => Math.round(((a + b) / 2) * scale)
  return {
    left: middle(northWest[0], southWest[0]),
    top: middle(northWest[1], northEast[1]),
    right: middle(northEast[0], southEast[0]),
    bottom: middle(southWest[1], southEast[1]),
  }
}

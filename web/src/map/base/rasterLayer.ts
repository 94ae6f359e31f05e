/** Tiles of somebody's map, laid where they belong, and whether they come. Loaded when a map first has some. */
/* oxlint-disable no-underscore-dangle -- Leaflet's own names */
import L from 'leaflet'
import { WORLD_PX } from '@/live/projection'
import type { Daylight } from '../palette'
import type { Raster } from './choices'
import { inPicture, tileBox } from './shift'

declare module 'leaflet' {
  /** What Leaflet 1.9 keeps to itself of a layer of tiles. */
  interface GridLayer {
    _level: { readonly origin: Point }
    _getTiledPixelBounds(center: LatLng): Bounds
    _getTilePos(coords: Coords): Point
  }
}

/** So many in a row that did not load, and none that did, are no accident. */
const ERRORS_MOST = 4
/** Tiles that neither load nor fail: the network swallows them. */
const SILENT_MS = 12_000
const NEAREST_ZOOM = 19

/** Tiles whose picture is GCJ-02: each lies where it belongs, as large as it is there. */
export class ShiftedTiles extends L.TileLayer {
  constructor(url: string, options: L.TileLayerOptions) {
    super(url, options)
    this.on('tileloadstart', ({ coords, tile }) => {
      const { left, top, right, bottom } = tileBox(coords)
      tile.style.width = `${right - left}px`
      tile.style.height = `${bottom - top}px`
    })
  }

  /** The part of the picture that is in view. */
  override _getTiledPixelBounds(center: L.LatLng): L.Bounds {
    const { min, max } = super._getTiledPixelBounds(center)
    const scale = 2 ** (this._tileZoom ?? 0)
    const corner = ({ x, y }: L.Point) => {
      const [left, top] = inPicture([x / scale, y / scale])
      return L.point(left * scale, top * scale)
    }
    return min && max ? L.bounds(corner(min), corner(max)) : L.bounds([])
  }

  override _getTilePos(coords: L.Coords): L.Point {
    const { left, top } = tileBox(coords)
    return L.point(left, top).subtract(this._level.origin)
  }
}

function tilesOf(raster: Raster, url: string, daylight: Daylight): L.TileLayer {
  const options = {
    maxZoom: NEAREST_ZOOM,
    minNativeZoom: raster.leastZoom,
    maxNativeZoom: raster.mostZoom,
    subdomains: [...raster.subdomains],
    tms: raster.tms,
    // Leaflet puts it in the place of {key}.
    key: raster.key,
    className: daylight === 'night' ? 'raster-night' : '',
  }
  return raster.datum === 'gcj02' ? new ShiftedTiles(url, options) : L.tileLayer(url, options)
}

/** Lays a raster beneath `map`; tells once when its tiles do not load. Answers how to take it away. */
export function layRaster(map: L.Map, raster: Raster, daylight: Daylight, onFail: () => void): () => void {
  const tiles = tilesOf(raster, raster.url, daylight)
  let errors = 0
  let over = false
  const shows = () => tiles.getContainer()?.querySelector('.leaflet-tile-loaded') != null
  const fail = () => {
    if (over || shows()) return
    over = true
    onFail()
  }
  const silent = window.setTimeout(fail, SILENT_MS)
  tiles.on('tileload', () => {
    errors = 0
  })
  tiles.on('tileerror', () => {
    errors += 1
    if (errors >= ERRORS_MOST) fail()
  })
  // All are through, and none has come.
  tiles.on('load', () => {
    if (errors > 0) fail()
  })
  const labels = raster.labelsUrl ? tilesOf(raster, raster.labelsUrl, daylight) : null
  tiles.addTo(map)
  labels?.addTo(map)
  return () => {
    over = true
    window.clearTimeout(silent)
    tiles.remove()
    labels?.remove()
  }
}

/** Whether a tile in the middle of `map` loads. */
export function loads(map: L.Map, raster: Raster): Promise<boolean> {
  const zoom = Math.min(Math.max(Math.floor(map.getZoom()), raster.leastZoom), raster.mostZoom)
  const { x, y } = map.project(map.getCenter(), zoom).divideBy(WORLD_PX).floor()
  const row = raster.tms ? 2 ** zoom - 1 - y : y
  const at = { z: zoom, x, y: row, '-y': 2 ** zoom - 1 - y, r: '', s: raster.subdomains[0] ?? '', key: raster.key }
  return new Promise((resolve) => {
    const image = new Image()
    image.addEventListener('load', () => resolve(true))
    image.addEventListener('error', () => resolve(false))
    image.src = L.Util.template(raster.url, at)
  })
}

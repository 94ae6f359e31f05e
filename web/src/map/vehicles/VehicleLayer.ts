import type { Map as LeafletMap, Point } from 'leaflet'

import type { FleetFeed } from '@/live/fleetFeed'

import { CanvasOverlay, type Frame } from '../CanvasOverlay'
import { mapPalettes, type Daylight } from '../palette'
import { drawCells } from './cells'
import { countCells, cull, nearest, signSize, stampBikes, type Mask } from './fleetMath'
import { AlarmHalos } from './AlarmHalos'
import { spritesFor, type Sprites } from './sprites'

/** From this zoom outward the server sends counts of cells instead of bikes. */
export const CLUSTER_ZOOM = 11
const FINE_LIMIT = 3_000
const STAMP_LIMIT = 60_000
const HIT_REACH_PX = 12
/** Cells are tiles this many levels below the zoom: 64 px. */
const CELL_LEVELS = 2

export type DrawMode = 'cells' | 'stamp' | 'fine'

/** What the last paint did, for tests and measurements. */
export interface PaintStats {
  mode: DrawMode
  inView: number
  paintMs: number
  paints: number
}

/**
 * The fleet on one canvas. How it is drawn follows from the zoom and from how many bikes are in
 * view: counted cells far out, copied pixels for a city, anti-aliased signs with heading in a quarter.
 */
export class VehicleLayer extends CanvasOverlay {
  readonly stats: PaintStats = { mode: 'cells', inView: 0, paintMs: 0, paints: 0 }
  private mask: Mask = 0
  private daylight: Daylight = 'day'
  private stale = false
  private readonly halos: AlarmHalos
  private slots = new Int32Array(4096)
  private sheet: { image: ImageData; pixels: Uint32Array<ArrayBuffer> } | null = null
  private leaveFeed: (() => void) | null = null

  constructor(
    private readonly feed: FleetFeed,
    density?: () => number,
  ) {
    super(density === undefined ? { paneZ: 450 } : { paneZ: 450, density })
    this.halos = new AlarmHalos(feed.bikes)
  }

  override onAdd(map: LeafletMap): this {
    this.leaveFeed = this.feed.onChange(() => this.redraw())
    return super.onAdd(map)
  }

  override onRemove(): this {
    this.leaveFeed?.()
    this.leaveFeed = null
    this.halos.clear()
    return super.onRemove()
  }

  /** Shows only these states; 0 shows all. */
  setMask(mask: Mask): void {
    this.mask = mask
    this.halos.forget()
    this.redraw()
  }

  setDaylight(daylight: Daylight): void {
    this.daylight = daylight
    this.redraw()
  }

  /** Greys every sign: what is drawn is no longer the present. */
  setStale(stale: boolean): void {
    if (this.stale === stale) return
    this.stale = stale
    this.redraw()
  }

  /** The slot of the bike at a point of the map's container, or -1; cells cannot be hit. */
  hit(at: Point): number {
    const frame = this.current
    if (this.map === null || frame === null || this.stats.mode === 'cells') return -1
    const world = this.worldOf(at, frame)
    const reach = Math.max(HIT_REACH_PX, signSize(frame.zoom) / 2 + 4)
    return nearest(this.feed.bikes, frame, this.mask, world.x, world.y, reach)
  }

  /** Where a slot is drawn in the map's container, or null when it holds no bike. */
  placeOf(slot: number): { x: number; y: number } | null {
    const { bikes } = this.feed
    const min = this.map?.getPixelBounds().min
    if (min === undefined || this.map === null || !bikes.present[slot]) return null
    const scale = 2 ** this.map.getZoom()
    return { x: bikes.x[slot]! * scale - min.x, y: bikes.y[slot]! * scale - min.y }
  }

  protected override paint(frame: Frame): void {
    const begun = performance.now()
    const { bikes, clusters } = this.feed
    if (clusters.areaCount > 0) {
      this.clear(frame)
      const cells = clusters.cells()
      this.stats.mode = 'cells'
      this.stats.inView = cells.length
      const level = Math.floor(this.feed.zoom ?? frame.zoom) + CELL_LEVELS
      drawCells(frame, cells, level, this.mask, mapPalettes[this.daylight], this.stale)
      this.halos.clear()
    } else {
      this.paintBikes(frame, bikes.count)
    }
    this.stats.paintMs = performance.now() - begun
    this.stats.paints += 1
  }

  private paintBikes(frame: Frame, most: number): void {
    const { bikes } = this.feed
    if (this.slots.length < most) this.slots = new Int32Array(2 ** Math.ceil(Math.log2(most)))
    const count = Math.min(cull(bikes, frame, this.mask, 24, this.slots), this.slots.length)
    this.stats.inView = count
    const palette = mapPalettes[this.daylight]
    if (count > STAMP_LIMIT || frame.zoom <= CLUSTER_ZOOM) {
      this.stats.mode = 'cells'
      this.clear(frame)
      const level = Math.floor(frame.zoom) + CELL_LEVELS
      drawCells(frame, countCells(bikes, this.slots, count, level), level, this.mask, palette, this.stale)
      this.halos.clear()
      return
    }
    const sprites = spritesFor(signSize(frame.zoom), frame.density, palette, this.stale)
    if (count > FINE_LIMIT) {
      this.stats.mode = 'stamp'
      this.paintStamps(frame, count, sprites)
    } else {
      this.stats.mode = 'fine'
      this.paintFine(frame, count, sprites)
    }
    if (this.map !== null) this.halos.update(this.map, this.slots, count, this.stale)
  }

  private paintStamps(frame: Frame, count: number, sprites: Sprites): void {
    const { width, height } = this.canvas
    if (this.sheet === null || this.sheet.image.width !== width || this.sheet.image.height !== height) {
      const image = frame.ctx.createImageData(width, height)
      this.sheet = { image, pixels: new Uint32Array(image.data.buffer) }
    }
    const { image, pixels } = this.sheet
    pixels.fill(0)
    stampBikes(this.feed.bikes, this.slots, count, frame, { pixels, width, height, density: frame.density }, sprites.stamps)
    frame.ctx.putImageData(image, 0, 0)
  }

  private paintFine(frame: Frame, count: number, sprites: Sprites): void {
    const { ctx, density, scale, originX, originY } = frame
    const { bikes } = this.feed
    this.clear(frame)
    const size = signSize(frame.zoom)
    for (let index = 0; index < count; index += 1) {
      const slot = this.slots[index]!
      const flags = bikes.flags[slot]!
      const x = (bikes.x[slot]! * scale - originX) * density
      const y = (bikes.y[slot]! * scale - originY) * density
      if (size >= 7 && (flags & 0x0f) === 1) {
        const angle = (bikes.heading[slot]! * 2 * Math.PI) / 180
        const cos = Math.cos(angle)
        const sin = Math.sin(angle)
        ctx.setTransform(cos, sin, -sin, cos, x, y)
        ctx.drawImage(sprites.nose, -sprites.nose.width / 2, -sprites.nose.height / 2)
        ctx.setTransform(1, 0, 0, 1, 0, 0)
      }
      const image = sprites.images[flags & 0x1f]!
      ctx.drawImage(image, Math.round(x - image.width / 2), Math.round(y - image.height / 2))
    }
  }

  private clear(frame: Frame): void {
    frame.ctx.setTransform(1, 0, 0, 1, 0, 0)
    frame.ctx.clearRect(0, 0, this.canvas.width, this.canvas.height)
  }

  /** Canvas px of a container point, though the pane may have been dragged since the frame was anchored. */
  private worldOf(at: Point, frame: Frame): { x: number; y: number } {
    const min = this.map?.getPixelBounds().min
    if (min === undefined) return at
    return { x: at.x + min.x - frame.originX, y: at.y + min.y - frame.originY }
  }
}

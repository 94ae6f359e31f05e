import type L from 'leaflet'
import type { FleetFeed } from '@/live/fleetFeed'

import { CanvasOverlay, type Frame } from './CanvasOverlay'
import { addHeat, heatGrid, heatPixels, spread } from './heat'
import { mapPalettes, type Daylight } from './palette'
import { shown, type Mask } from './vehicles/fleetMath'

/** Cells of counts are tiles so many levels below the zoom. */
const CELL_LEVELS = 2
const WORLD_PX = 256
/** The picture is made anew at most so often: density hardly changes from one second to the next. */
const EVERY_MS = 1_000

/** Where bikes are dense: for what the legend and the filters leave. */
export class HeatLayer extends CanvasOverlay {
  private mask: Mask = 0
  private leave: (() => void) | null = null
  private paintedAt = -EVERY_MS
  private timer: number | null = null
  private readonly small = document.createElement('canvas')

  constructor(
    private readonly feed: FleetFeed,
    private readonly daylight: Daylight,
  ) {
    super({ paneZ: 440 })
  }

  override onAdd(map: L.Map): this {
    this.leave = this.feed.onChange(() => this.soon())
    return super.onAdd(map)
  }

  override onRemove(): this {
    this.leave?.()
    this.leave = null
    if (this.timer !== null) window.clearTimeout(this.timer)
    this.timer = null
    return super.onRemove()
  }

  setMask(mask: Mask): void {
    this.mask = mask
    this.redraw()
  }

  private soon(): void {
    this.timer ??= window.setTimeout(
      () => {
        this.timer = null
        this.redraw()
      },
      Math.max(0, this.paintedAt + EVERY_MS - performance.now()),
    )
  }

  protected override paint(frame: Frame): void {
    this.paintedAt = performance.now()
    const { ctx } = frame
    const grid = heatGrid(frame.width, frame.height)
    const { bikes, clusters } = this.feed
    if (clusters.areaCount > 0) {
      const side = WORLD_PX / 2 ** (Math.floor(this.feed.zoom ?? frame.zoom) + CELL_LEVELS)
      for (const cell of clusters.cells()) {
        addHeat(grid, (cell.x + 0.5) * side * frame.scale - frame.originX, (cell.y + 0.5) * side * frame.scale - frame.originY, cell.total)
      }
    } else {
      for (let slot = 0; slot < bikes.high; slot += 1) {
        if (bikes.present[slot] === 0 || !shown(bikes.flags[slot]!, this.mask)) continue
        addHeat(grid, bikes.x[slot]! * frame.scale - frame.originX, bikes.y[slot]! * frame.scale - frame.originY, 1)
      }
    }
    spread(grid)
    this.small.width = grid.columns
    this.small.height = grid.rows
    const picture = new ImageData(heatPixels(grid, rgbOf(mapPalettes[this.daylight].accent)), grid.columns, grid.rows)
    this.small.getContext('2d')?.putImageData(picture, 0, 0)
    ctx.imageSmoothingEnabled = true
    ctx.imageSmoothingQuality = 'high'
    ctx.drawImage(this.small, 0, 0, frame.width, frame.height)
  }
}

/** `#36A3FF` as numbers. */
function rgbOf(color: string): readonly [number, number, number] {
  const number = Number.parseInt(color.slice(1), 16)
  return [number >> 16, (number >> 8) & 0xff, number & 0xff]
}

import type { Map as LeafletMap, Point } from 'leaflet'

import type { FleetFeed } from '@/live/fleetFeed'

import { AnchoredCanvas } from '../CanvasOverlay'
import type { View } from '../view'
import { AlarmHalos } from './AlarmHalos'
import { countCells, cull, signSize } from './fleetMath'
import { packStops, type Look, type Picture } from './painter'
import { hitAt, sceneOf, type Hit, type Scene } from './scene'

/** From this zoom outward the server sends counts of cells instead of bikes. */
export const CLUSTER_ZOOM = 11
/** Cells are tiles this many levels below the zoom: 64 px. */
const CELL_LEVELS = 2
/** A bitmap of a whole view goes to the screen with every change: less of a margin than what is painted once. */
const MARGIN = 0.1

export type DrawMode = 'cells' | 'bikes'

/** What the last drawing did, for tests and measurements. */
export interface PaintStats {
  mode: DrawMode
  /** Bikes in view, those in counts included; cells when only these are known. */
  inView: number
  /** What it cost this thread, not the worker. */
  paintMs: number
  paints: number
}

/** A picture on its way through the worker, and what it shows. */
interface Pending {
  readonly scene: Scene | null
  readonly view: View
  readonly inView: number
}

/**
 * The fleet on one canvas. How it is drawn follows from the zoom: counted cells far out, then single
 * bikes and a count where several share a place. What is to be seen is worked out here, painted by a worker,
 * and the finished bitmap is put in place at once; a hit is tested against what is on the screen.
 */
export class VehicleLayer extends AnchoredCanvas {
  readonly stats: PaintStats = { mode: 'cells', inView: 0, paintMs: 0, paints: 0 }
  private look: Look = { daylight: 'day', mask: 0, stale: false }
  private readonly halos: AlarmHalos
  private readonly screen: ImageBitmapRenderingContext
  private worker: Worker | null = null
  private pending: Pending | null = null
  /** Something changed while a picture was on its way. */
  private outdated = false
  private shown: Scene | null = null
  /** What the last picture was made of: the same again is not painted again. */
  private made: readonly unknown[] = []
  private leaveFeed: (() => void) | null = null

  constructor(
    private readonly feed: FleetFeed,
    density?: () => number,
  ) {
    super({ paneZ: 450, margin: MARGIN, ...(density === undefined ? {} : { density }) })
    this.halos = new AlarmHalos(feed.bikes)
    const screen = this.canvas.getContext('bitmaprenderer')
    if (screen === null) throw new Error('this browser draws no canvas')
    this.screen = screen
  }

  override onAdd(map: LeafletMap): this {
    this.worker = new Worker(new URL('painter.worker.ts', import.meta.url), { type: 'module' })
    this.worker.addEventListener('message', ({ data }: MessageEvent<ImageBitmap>) => this.arrived(data))
    this.leaveFeed = this.feed.onChange(() => this.redraw())
    return super.onAdd(map)
  }

  override onRemove(): this {
    this.leaveFeed?.()
    this.leaveFeed = null
    this.worker?.terminate()
    this.worker = null
    this.pending = null
    this.shown = null
    this.made = []
    this.halos.clear()
    return super.onRemove()
  }

  /** Changes how the fleet is drawn; what is not named stays. */
  setLook(look: Partial<Look>): void {
    this.look = { ...this.look, ...look }
    this.halos.forget()
    this.redraw()
  }

  /** What is drawn at a point of the map's container; cells cannot be hit. */
  hit(at: Point): Hit | null {
    const min = this.map?.getPixelBounds().min
    if (this.shown === null || min === undefined) return null
    const { view } = this.shown
    return view.zoom === this.map?.getZoom() ? hitAt(this.shown, at.x + min.x - view.originX, at.y + min.y - view.originY) : null
  }

  /** Single bikes on the screen, in the order of drawing, and where in the map's container. */
  signs(): { readonly slot: number; readonly x: number; readonly y: number; readonly kind: number }[] {
    const min = this.map?.getPixelBounds().min
    if (this.shown === null || min === undefined) return []
    const { view, slots, x, y, kinds } = this.shown
    return Array.from(slots, (slot, at) => ({
      slot,
      x: x[at]! + view.originX - min.x,
      y: y[at]! + view.originY - min.y,
      kind: kinds[at]!,
    }))
  }

  /** Counts on the screen, and where in the map's container. */
  stops(): { readonly x: number; readonly y: number; readonly total: number }[] {
    const min = this.map?.getPixelBounds().min
    if (this.shown === null || min === undefined) return []
    const { view, stops } = this.shown
    return stops.map((stop) => ({ x: stop.x + view.originX - min.x, y: stop.y + view.originY - min.y, total: stop.total }))
  }

  protected override draw(view: View): void {
    if (this.worker === null) return
    if (this.pending !== null) {
      this.outdated = true
      return
    }
    const { bikes, clusters } = this.feed
    const made = [bikes.version, clusters.version, this.look, ...Object.values(view)]
    if (made.length === this.made.length && made.every((part, at) => part === this.made[at])) return
    this.made = made
    const begun = performance.now()
    this.outdated = false
    if (clusters.areaCount > 0) this.sendCells(view, clusters.cells(), Math.floor(this.feed.zoom ?? view.zoom) + CELL_LEVELS)
    else if (view.zoom <= CLUSTER_ZOOM) this.sendCounted(view)
    else this.sendScene(view)
    this.stats.paintMs = performance.now() - begun
  }

  private sendCounted(view: View): void {
    const { bikes } = this.feed
    const slots = new Int32Array(bikes.count)
    const count = Math.min(cull(bikes, view, this.look.mask, 0, slots), slots.length)
    const level = Math.floor(view.zoom) + CELL_LEVELS
    this.sendCells(view, countCells(bikes, slots, count, level), level)
  }

  private sendCells(view: View, cells: ReturnType<typeof countCells> | ReturnType<FleetFeed['clusters']['cells']>, level: number): void {
    this.pending = { scene: null, view, inView: cells.length }
    const picture: Picture = { view, look: this.look, cells, level }
    this.worker?.postMessage(picture)
  }

  private sendScene(view: View): void {
    const scene = sceneOf(this.feed.bikes, view, this.look.mask)
    this.pending = { scene, view, inView: scene.inView }
    const { x, y, kinds, headings } = scene
    const picture: Picture = { view, look: this.look, signs: { x, y, kinds, headings }, stops: packStops(scene.stops) }
    this.worker?.postMessage(picture)
  }

  private arrived(bitmap: ImageBitmap): void {
    const { pending } = this
    this.pending = null
    if (pending === null || this.map === null) {
      bitmap.close()
      return
    }
    const begun = performance.now()
    if (this.place(pending.view)) {
      this.screen.transferFromImageBitmap(bitmap)
      this.shown = pending.scene
      this.stats.mode = pending.scene === null ? 'cells' : 'bikes'
      this.stats.inView = pending.inView
      this.stats.paints += 1
      this.moveHalos(this.map, pending.scene)
      this.fire('painted')
    } else {
      // The map went on to another zoom meanwhile; its end asks for the next picture.
      bitmap.close()
      this.made = []
      this.outdated = true
    }
    this.stats.paintMs += performance.now() - begun
    if (this.outdated) this.redraw()
  }

  private moveHalos(map: LeafletMap, scene: Scene | null): void {
    if (scene === null || signSize(scene.view.zoom) < 6) this.halos.clear()
    else this.halos.update(map, scene.slots, this.look.stale)
  }
}

import L from 'leaflet'

import { backingSize, type View } from './view'

/** What a layer paints on. */
export interface Frame extends View {
  readonly ctx: CanvasRenderingContext2D
}

export interface OverlayOptions extends L.LayerOptions {
  /** Z order among the panes of the map. */
  paneZ: number
  /** Backing px of one CSS px; else those of the screen, on a stage that is scaled those of what it is scaled to. */
  density?: () => number
  /** How far the canvas reaches beyond the view, as a share of its size: dragging shows no bare edge. */
  margin?: number
}

const MARGIN = 0.2

/**
 * A Leaflet layer that is one canvas a little larger than the view. It is drawn at most once per
 * animation frame, moved with the pane while dragging, scaled while zooming, and drawn anew when
 * the map has come to rest.
 */
export abstract class AnchoredCanvas extends L.Layer {
  protected readonly canvas: HTMLCanvasElement
  protected map: L.Map | null = null
  private readonly density: (() => number) | null
  private readonly margin: number
  private request = 0
  private animating = false
  private stretched = false
  private center = L.latLng(0, 0)
  private view: View | null = null
  private readonly paneName: string
  private readonly paneZ: number

  constructor(options: OverlayOptions) {
    super({ ...options, pane: options.pane ?? `canvas-${options.paneZ}` })
    this.paneName = options.pane ?? `canvas-${options.paneZ}`
    this.paneZ = options.paneZ
    this.density = options.density ?? null
    this.margin = options.margin ?? MARGIN
    this.canvas = L.DomUtil.create('canvas', 'leaflet-zoom-animated')
    this.canvas.style.pointerEvents = 'none'
  }

  override onAdd(map: L.Map): this {
    this.map = map
    const pane = map.getPane(this.paneName) ?? map.createPane(this.paneName)
    pane.style.zIndex = String(this.paneZ)
    pane.style.pointerEvents = 'none'
    pane.append(this.canvas)
    this.redraw()
    return this
  }

  override onRemove(): this {
    cancelAnimationFrame(this.request)
    this.request = 0
    this.canvas.remove()
    this.map = null
    this.view = null
    return this
  }

  override getEvents(): Record<string, L.LeafletEventHandlerFn> {
    return {
      move: () => this.follow(),
      moveend: () => this.rest(),
      zoomend: () => this.rest(),
      viewreset: () => this.rest(),
      resize: () => this.rest(),
      zoomanim: (event) => this.animateZoom(event as L.ZoomAnimEvent),
    }
  }

  /** Asks for a drawing in the next animation frame. */
  redraw(): void {
    if (this.request !== 0 || this.map === null) return
    this.request = requestAnimationFrame(() => {
      this.request = 0
      // While the zoom animates the old picture is stretched; a fresh one would sit wrongly.
      if (this.map === null || this.animating) return
      // On a page behind another one nobody sees it; the map asks again when it is shown.
      if (!this.canvas.checkVisibility()) return
      this.draw(this.stretched || this.view === null ? this.measured(this.map) : this.view)
    })
  }

  /** Draws `view`, and calls `place` when the canvas holds its picture. */
  protected abstract draw(view: View): void

  /** Puts the canvas where `view` lies; false when the map has meanwhile gone on to another zoom. */
  protected place(view: View): boolean {
    const { map } = this
    if (map === null || this.animating || map.getZoom() !== view.zoom) return false
    this.canvas.style.width = `${view.width}px`
    this.canvas.style.height = `${view.height}px`
    const corner = L.point(view.originX, view.originY).subtract(map.getPixelOrigin())
    L.DomUtil.setTransform(this.canvas, corner, 1)
    L.DomUtil.setPosition(this.canvas, corner)
    const middle = L.point(view.originX + view.width / 2, view.originY + view.height / 2)
    this.center = map.unproject(middle, view.zoom)
    this.view = view
    this.stretched = false
    return true
  }

  private rest(): void {
    this.animating = false
    this.stretched = true
    this.redraw()
  }

  /** A drag that outruns the margin is anchored anew on the way. */
  private follow(): void {
    const { map, view } = this
    if (map === null || view === null || this.animating) return
    const min = map.getPixelBounds().min
    if (min === undefined || map.getZoom() !== view.zoom) return
    const dx = Math.abs(min.x - view.originX - view.marginX)
    const dy = Math.abs(min.y - view.originY - view.marginY)
    if (dx > view.marginX * 0.6 || dy > view.marginY * 0.6) this.rest()
  }

  private animateZoom(event: L.ZoomAnimEvent): void {
    const { map, view } = this
    if (map === null || view === null) return
    this.animating = true
    const factor = map.getZoomScale(event.zoom, view.zoom)
    const half = map.getSize().divideBy(2)
    const panePosition = L.DomUtil.getPosition(map.getPanes().mapPane)
    const newOrigin = map.project(event.center, event.zoom).subtract(half).add(panePosition).round()
    const reach = L.point(view.width, view.height).multiplyBy(-factor / 2)
    L.DomUtil.setTransform(this.canvas, reach.add(map.project(this.center, event.zoom)).subtract(newOrigin), factor)
  }

  private measured(map: L.Map): View {
    const size = map.getSize()
    const marginX = Math.ceil(size.x * this.margin)
    const marginY = Math.ceil(size.y * this.margin)
    const min = map.getPixelBounds().min ?? L.point(0, 0)
    return {
      width: size.x + marginX * 2,
      height: size.y + marginY * 2,
      scale: 2 ** map.getZoom(),
      originX: min.x - marginX,
      originY: min.y - marginY,
      zoom: map.getZoom(),
      density: this.density?.() ?? window.devicePixelRatio * stretchOf(map.getContainer()),
      marginX,
      marginY,
    }
  }
}

/** Screen px of one of its CSS px: 1, except where a wall scales its stage. */
function stretchOf(element: HTMLElement): number {
  const { offsetWidth } = element
  const width = offsetWidth === 0 ? 0 : element.getBoundingClientRect().width
  return width === 0 ? 1 : width / offsetWidth
}

/** An anchored canvas that is painted here and now. */
export abstract class CanvasOverlay extends AnchoredCanvas {
  private readonly ctx: CanvasRenderingContext2D

  constructor(options: OverlayOptions) {
    super(options)
    const ctx = this.canvas.getContext('2d')
    if (ctx === null) throw new Error('this browser draws no canvas')
    this.ctx = ctx
  }

  /** Paints the whole frame onto an empty canvas, in CSS px. */
  protected abstract paint(frame: Frame): void

  protected override draw(view: View): void {
    const { width, height } = backingSize(view)
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width
      this.canvas.height = height
    }
    if (!this.place(view)) return
    this.ctx.setTransform(1, 0, 0, 1, 0, 0)
    this.ctx.clearRect(0, 0, width, height)
    this.ctx.setTransform(view.density, 0, 0, view.density, 0, 0)
    this.paint({ ...view, ctx: this.ctx })
  }
}

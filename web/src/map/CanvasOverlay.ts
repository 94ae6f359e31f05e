import L from 'leaflet'

/** What a layer paints on: canvas px are CSS px, and `x * scale - originX` brings a world x onto it. */
export interface Frame {
  readonly ctx: CanvasRenderingContext2D
  /** CSS px, the margin around the view included. */
  readonly width: number
  readonly height: number
  /** 2^zoom: screen px of one world pixel at zoom 0. */
  readonly scale: number
  readonly originX: number
  readonly originY: number
  readonly zoom: number
  /** Backing px of one CSS px. */
  readonly density: number
  /** CSS px of the margin beyond each side of the view. */
  readonly marginX: number
  readonly marginY: number
}

export interface OverlayOptions extends L.LayerOptions {
  /** Z order among the panes of the map. */
  paneZ: number
  /** Backing px of one CSS px; walls scale their stage and ask for more. */
  density?: () => number
}

/** How far the canvas reaches beyond the view, as a share of its size: dragging shows no bare edge. */
const MARGIN = 0.2

/**
 * A Leaflet layer that is one canvas a little larger than the view. It is painted at most once per
 * animation frame, moved with the pane while dragging, scaled while zooming, and painted anew when
 * the map has come to rest.
 */
export abstract class CanvasOverlay extends L.Layer {
  protected readonly canvas: HTMLCanvasElement
  protected map: L.Map | null = null
  private readonly ctx: CanvasRenderingContext2D
  private readonly density: () => number
  private request = 0
  private animating = false
  private stretched = false
  private center = L.latLng(0, 0)
  private frame: Frame | null = null
  private readonly paneName: string
  private readonly paneZ: number

  constructor(options: OverlayOptions) {
    super({ ...options, pane: options.pane ?? `canvas-${options.paneZ}` })
    this.paneName = options.pane ?? `canvas-${options.paneZ}`
    this.paneZ = options.paneZ
    this.density = options.density ?? (() => window.devicePixelRatio)
    this.canvas = L.DomUtil.create('canvas', 'leaflet-zoom-animated')
    this.canvas.style.pointerEvents = 'none'
    const ctx = this.canvas.getContext('2d')
    if (ctx === null) throw new Error('this browser draws no canvas')
    this.ctx = ctx
  }

  override onAdd(map: L.Map): this {
    this.map = map
    const pane = map.getPane(this.paneName) ?? map.createPane(this.paneName)
    pane.style.zIndex = String(this.paneZ)
    pane.style.pointerEvents = 'none'
    pane.append(this.canvas)
    this.anchor()
    this.redraw()
    return this
  }

  override onRemove(): this {
    cancelAnimationFrame(this.request)
    this.request = 0
    this.canvas.remove()
    this.map = null
    this.frame = null
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

  /** Asks for a paint in the next animation frame. */
  redraw(): void {
    if (this.request !== 0 || this.map === null) return
    this.request = requestAnimationFrame(() => {
      this.request = 0
      // While the zoom animates the old picture is stretched; a fresh one would sit wrongly.
      if (this.map === null || this.animating) return
      // On a page behind another one nobody sees it; the map asks again when it is shown.
      if (!this.canvas.checkVisibility()) return
      this.anchorIfStretched()
      if (this.frame !== null) this.paint(this.frame)
    })
  }

  /** Paints the whole frame; the canvas still holds the picture before. */
  protected abstract paint(frame: Frame): void

  /** The frame last anchored, for hit tests between paints. */
  protected get current(): Frame | null {
    return this.frame
  }

  private rest(): void {
    this.animating = false
    this.stretched = true
    this.redraw()
  }

  /** A drag that outruns the margin is anchored anew on the way. */
  private follow(): void {
    const { map, frame } = this
    if (map === null || frame === null || this.animating) return
    const bounds = map.getPixelBounds()
    const min = bounds.min
    if (min === undefined || map.getZoom() !== frame.zoom) return
    const dx = Math.abs(min.x - frame.originX - frame.marginX)
    const dy = Math.abs(min.y - frame.originY - frame.marginY)
    if (dx > frame.marginX * 0.8 || dy > frame.marginY * 0.8) this.rest()
  }

  private animateZoom(event: L.ZoomAnimEvent): void {
    const { map, frame } = this
    if (map === null || frame === null) return
    this.animating = true
    const factor = map.getZoomScale(event.zoom, frame.zoom)
    const half = map.getSize().divideBy(2)
    const panePosition = L.DomUtil.getPosition(map.getPanes().mapPane)
    const newOrigin = map.project(event.center, event.zoom).subtract(half).add(panePosition).round()
    const reach = half.add(L.point(frame.marginX, frame.marginY)).multiplyBy(-factor)
    L.DomUtil.setTransform(this.canvas, reach.add(map.project(this.center, event.zoom)).subtract(newOrigin), factor)
  }

  private anchorIfStretched(): void {
    if (this.stretched || this.frame === null) this.anchor()
  }

  private anchor(): void {
    const { map } = this
    if (map === null) return
    this.stretched = false
    const size = map.getSize()
    const marginX = Math.ceil(size.x * MARGIN)
    const marginY = Math.ceil(size.y * MARGIN)
    const width = size.x + marginX * 2
    const height = size.y + marginY * 2
    const density = this.density()
    const backingWidth = Math.max(1, Math.round(width * density))
    const backingHeight = Math.max(1, Math.round(height * density))
    if (this.canvas.width !== backingWidth || this.canvas.height !== backingHeight) {
      this.canvas.width = backingWidth
      this.canvas.height = backingHeight
      this.canvas.style.width = `${width}px`
      this.canvas.style.height = `${height}px`
    }
    const min = map.getPixelBounds().min ?? L.point(0, 0)
    const corner = map.containerPointToLayerPoint([-marginX, -marginY])
    L.DomUtil.setTransform(this.canvas, corner, 1)
    L.DomUtil.setPosition(this.canvas, corner)
    this.center = map.getCenter()
    this.frame = {
      ctx: this.ctx,
      width,
      height,
      scale: 2 ** map.getZoom(),
      originX: min.x - marginX,
      originY: min.y - marginY,
      zoom: map.getZoom(),
      density,
      marginX,
      marginY,
    }
  }
}

import { fontFamily } from '@/kit/theme'

import { CanvasOverlay, type Frame } from '../CanvasOverlay'
import { type Daylight, type MapPalette, mapPalettes } from '../palette'
import { inView, type Shape, type Shapes } from './fences'

const PARKING_ZOOM = 13
const NAME_ZOOM = 16
const HATCH_PX = 7
const DASH_PX = [6, 4]

/** How a zone is filled: no-stop zones one way, no-ride zones both ways. */
type Hatch = 'noStop' | 'noRide'

/**
 * Areas as a line with a soft shade outside, parkings lightly filled, no-stop zones hatched and no-ride zones cross-hatched,
 * what people marked as a dashed line.
 */
export class FenceLayer extends CanvasOverlay {
  private shapes: Shapes = { areas: [], parkings: [], noStops: [], noRides: [], customs: [] }
  private readonly hatches = new Map<Hatch, { pattern: CanvasPattern; density: number }>()

  constructor(private readonly daylight: Daylight) {
    super({ paneZ: 350 })
  }

  setShapes(shapes: Shapes): void {
    this.shapes = shapes
    this.redraw()
  }

  protected override paint(frame: Frame): void {
    const { ctx } = frame
    const palette = mapPalettes[this.daylight]
    ctx.lineJoin = 'round'
    this.paintAreas(frame, palette)
    if (frame.zoom < PARKING_ZOOM) return
    this.paintParkings(frame, palette)
    this.paintCustoms(frame, palette)
    this.paintZones(frame, palette, 'noStop', this.shapes.noStops)
    this.paintZones(frame, palette, 'noRide', this.shapes.noRides)
    if (frame.zoom >= NAME_ZOOM) this.paintNames(frame, palette)
  }

  private paintAreas(frame: Frame, palette: MapPalette): void {
    const { ctx } = frame
    const { areas } = this.shapes
    if (areas.length === 0) return
    // Neighbouring areas may overlap: each is cut out by itself, so an overlap is inside, not outside.
    ctx.fillStyle = palette.shade
    ctx.fillRect(0, 0, frame.width, frame.height)
    ctx.globalCompositeOperation = 'destination-out'
    ctx.fillStyle = '#000'
    const visible = areas.filter((area) => inView(area, frame))
    for (const area of visible) {
      trace(frame, area)
      ctx.fill()
    }
    ctx.globalCompositeOperation = 'source-over'
    ctx.strokeStyle = palette.area
    for (const [width, alpha] of [[9, 0.08], [5, 0.12], [1.6, 0.9]] as const) {
      ctx.lineWidth = width
      ctx.globalAlpha = alpha
      for (const area of visible) {
        trace(frame, area)
        ctx.stroke()
      }
    }
    ctx.globalAlpha = 1
  }

  private paintParkings(frame: Frame, palette: MapPalette): void {
    const { ctx } = frame
    ctx.fillStyle = palette.parking
    ctx.strokeStyle = palette.parking
    ctx.lineWidth = frame.zoom >= 15 ? 1.2 : 0.7
    for (const parking of this.shapes.parkings) {
      if (!inView(parking, frame)) continue
      trace(frame, parking)
      ctx.globalAlpha = 0.08
      ctx.fill()
      ctx.globalAlpha = 0.55
      ctx.stroke()
    }
    ctx.globalAlpha = 1
  }

  private paintCustoms(frame: Frame, palette: MapPalette): void {
    const { ctx } = frame
    ctx.strokeStyle = palette.custom
    ctx.lineWidth = 1.2
    ctx.globalAlpha = 0.8
    ctx.setLineDash(DASH_PX)
    for (const mark of this.shapes.customs) {
      if (!inView(mark, frame)) continue
      trace(frame, mark)
      ctx.stroke()
    }
    ctx.setLineDash([])
    ctx.globalAlpha = 1
  }

  private paintZones(frame: Frame, palette: MapPalette, hatch: Hatch, zones: readonly Shape[]): void {
    if (zones.length === 0) return
    const { ctx } = frame
    const pattern = this.hatchFor(frame, palette, hatch)
    if (pattern === null) return
    // The hatch is fixed to the world, so it does not crawl while the map is dragged.
    pattern.setTransform(new DOMMatrix().translate(-(frame.originX % HATCH_PX), -(frame.originY % HATCH_PX)).scale(1 / frame.density))
    ctx.strokeStyle = palette[hatch]
    ctx.lineWidth = hatch === 'noRide' ? 1.6 : 1
    for (const zone of zones) {
      if (!inView(zone, frame)) continue
      trace(frame, zone)
      ctx.fillStyle = pattern
      ctx.globalAlpha = 0.4
      ctx.fill()
      ctx.globalAlpha = 0.6
      ctx.stroke()
    }
    ctx.globalAlpha = 1
  }

  private paintNames(frame: Frame, palette: MapPalette): void {
    const { ctx } = frame
    ctx.font = `11px ${fontFamily}`
    ctx.textAlign = 'center'
    ctx.textBaseline = 'bottom'
    ctx.lineWidth = 3
    ctx.strokeStyle = palette.labelEdge
    ctx.fillStyle = palette.parking
    for (const parking of this.shapes.parkings) {
      if (!inView(parking, frame)) continue
      const x = ((parking.west + parking.east) / 2) * frame.scale - frame.originX
      const y = parking.north * frame.scale - frame.originY - 3
      ctx.strokeText(parking.name, x, y)
      ctx.fillText(parking.name, x, y)
    }
  }

  private hatchFor(frame: Frame, palette: MapPalette, hatch: Hatch): CanvasPattern | null {
    const known = this.hatches.get(hatch)
    if (known?.density === frame.density) return known.pattern
    const tile = document.createElement('canvas')
    const side = Math.round(HATCH_PX * frame.density)
    tile.width = side
    tile.height = side
    const ctx = tile.getContext('2d')
    if (ctx === null) return null
    ctx.strokeStyle = palette[hatch]
    ctx.lineWidth = 1.2 * frame.density
    ctx.beginPath()
    for (const shift of [-side, 0, side]) {
      ctx.moveTo(shift, side)
      ctx.lineTo(shift + side, 0)
      if (hatch === 'noRide') {
        ctx.moveTo(shift, 0)
        ctx.lineTo(shift + side, side)
      }
    }
    ctx.stroke()
    const pattern = frame.ctx.createPattern(tile, 'repeat')
    if (pattern !== null) this.hatches.set(hatch, { pattern, density: frame.density })
    return pattern
  }
}

function trace(frame: Frame, shape: Shape): void {
  const { ctx, scale, originX, originY } = frame
  const { ring } = shape
  ctx.beginPath()
  for (let at = 0; at < ring.length; at += 2) {
    const x = ring[at]! * scale - originX
    const y = ring[at + 1]! * scale - originY
    if (at === 0) ctx.moveTo(x, y)
    else ctx.lineTo(x, y)
  }
  ctx.closePath()
}

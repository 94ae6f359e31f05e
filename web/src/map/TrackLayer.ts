import { CanvasOverlay, type Frame } from './CanvasOverlay'
import { mapPalettes, type Daylight } from './palette'
import { worldX, worldY } from '@/live/projection'

/** A place a bike has been at. */
export interface TrackPoint {
  /** Epoch ms. */
  readonly at: number
  readonly lat: number
  readonly lng: number
}

/** A longer silence between two reports is drawn as a gap, not as a straight line through houses. */
export const GAP_MS = 15 * 60_000

/** Splits a track where the bike was silent. */
export function stretches<T extends TrackPoint>(points: readonly T[]): T[][] {
  const parts: T[][] = []
  let last: T | undefined
  for (const point of points) {
    if (last === undefined || point.at - last.at > GAP_MS) parts.push([point])
    else parts.at(-1)?.push(point)
    last = point
  }
  return parts
}

/** The way one bike went: older stretches fainter, start and end marked. */
export class TrackLayer extends CanvasOverlay {
  private points: readonly TrackPoint[] = []

  constructor(private readonly daylight: Daylight) {
    super({ paneZ: 430 })
  }

  setPoints(points: readonly TrackPoint[]): void {
    this.points = points
    this.redraw()
  }

  protected override paint(frame: Frame): void {
    const { ctx } = frame
    const palette = mapPalettes[this.daylight]
    ctx.lineJoin = 'round'
    ctx.lineCap = 'round'
    const parts = stretches(this.points)
    for (const [color, width, alpha] of [[palette.signEdge, 6, 0.9], [palette.accent, 3, 0.9]] as const) {
      ctx.strokeStyle = color
      ctx.lineWidth = width
      ctx.globalAlpha = alpha
      for (const part of parts) {
        ctx.beginPath()
        for (const [index, point] of part.entries()) {
          const [x, y] = place(frame, point)
          if (index === 0) ctx.moveTo(x, y)
          else ctx.lineTo(x, y)
        }
        ctx.stroke()
      }
    }
    ctx.globalAlpha = 1
    const first = this.points[0]
    const last = this.points.at(-1)
    if (first !== undefined) mark(frame, first, palette.panel, palette.accent)
    if (last !== undefined && last !== first) mark(frame, last, palette.accent, palette.panel)
  }
}

function place(frame: Frame, point: TrackPoint): [number, number] {
  return [worldX(point.lng) * frame.scale - frame.originX, worldY(point.lat) * frame.scale - frame.originY]
}

function mark(frame: Frame, point: TrackPoint, fill: string, line: string): void {
  const { ctx } = frame
  const [x, y] = place(frame, point)
  ctx.fillStyle = fill
  ctx.strokeStyle = line
  ctx.lineWidth = 2
  ctx.beginPath()
  ctx.arc(x, y, 5, 0, Math.PI * 2)
  ctx.fill()
  ctx.stroke()
}

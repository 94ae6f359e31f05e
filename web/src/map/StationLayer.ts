import { fontFamily } from '@/kit/theme'

import { CanvasOverlay, type Frame } from './CanvasOverlay'
import { mapPalettes, type Daylight } from './palette'

/** From this zoom on the fullest and the empty ones are shown, from the second on all of them. */
const EDGE_ZOOM = 13
const ALL_ZOOM = 15
const HEIGHT_PX = 18
/** Beneath the middle of the place, so that bikes that stand there do not hide it. */
const BELOW_PX = 22
const LETTER_PX = 7

/** A parking place with its level: 0 empty, 1 few, 2 normal, 3 many, 4 full. */
export interface StationMark {
  /** World pixels at zoom 0. */
  readonly x: number
  readonly y: number
  readonly vehicles: number
  readonly level: number
}

/** How dark each level is: one hue, light to dark. */
const strengths = [0, 0.15, 0.35, 0.65, 1] as const
const EMPTY = 0
const FULL = 4

/** How full parking places are: a count each, darker the fuller, hollow where nothing stands. */
export class StationLayer extends CanvasOverlay {
  private marks: readonly StationMark[] = []

  constructor(private readonly daylight: Daylight) {
    super({ paneZ: 445 })
  }

  setMarks(marks: readonly StationMark[]): void {
    this.marks = marks
    this.redraw()
  }

  protected override paint(frame: Frame): void {
    const { ctx } = frame
    const palette = mapPalettes[this.daylight]
    if (frame.zoom < EDGE_ZOOM) return
    ctx.font = `600 11px ${fontFamily}`
    ctx.textAlign = 'center'
    ctx.textBaseline = 'middle'
    for (const { x, y, vehicles, level } of this.marks) {
      if (frame.zoom < ALL_ZOOM && level !== EMPTY && level !== FULL) continue
      const left = x * frame.scale - frame.originX
      const top = y * frame.scale - frame.originY + BELOW_PX
      if (left < -40 || top < -40 || left > frame.width + 40 || top > frame.height + 40) continue
      const text = String(vehicles)
      const width = Math.max(HEIGHT_PX, text.length * LETTER_PX + 8)
      ctx.beginPath()
      ctx.roundRect(left - width / 2, top - HEIGHT_PX / 2, width, HEIGHT_PX, HEIGHT_PX / 2)
      ctx.fillStyle = palette.panel
      ctx.fill()
      ctx.globalAlpha = strengths[level] ?? 0
      ctx.fillStyle = palette.parking
      ctx.fill()
      ctx.globalAlpha = 1
      ctx.strokeStyle = palette.parking
      ctx.lineWidth = level === FULL ? 2 : 1
      ctx.setLineDash(level === EMPTY ? [3, 2] : [])
      ctx.stroke()
      ctx.fillStyle = (strengths[level] ?? 0) > 0.5 ? palette.panel : palette.panelText
      ctx.fillText(text, left, top + 0.5)
    }
    ctx.setLineDash([])
  }
}

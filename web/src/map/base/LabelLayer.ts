import { fontFamily } from '@/kit/theme'

import { CanvasOverlay, type Frame } from '../CanvasOverlay'
import { mapPalettes, type Daylight, type MapPalette } from '../palette'
import { labelSize, placeLabels, type Named, type PlacedLabel } from './labels'

/** Names of roads, waters, districts and places, on one canvas so that tile edges do not cut them. */
export class LabelLayer extends CanvasOverlay {
  private readonly widths = new Map<string, number>()

  constructor(
    private readonly names: readonly Named[],
    private readonly daylight: Daylight,
  ) {
    super({ paneZ: 370 })
  }

  protected override paint(frame: Frame): void {
    const { ctx, density } = frame
    const palette = mapPalettes[this.daylight]
    ctx.textAlign = 'center'
    ctx.textBaseline = 'middle'
    ctx.lineJoin = 'round'
    const labels = placeLabels(this.names, frame, (text, size) => this.width(ctx, text, size))
    for (const label of labels) {
      const cos = Math.cos(label.angle) * density
      const sin = Math.sin(label.angle) * density
      ctx.setTransform(cos, sin, -sin, cos, label.x * density, label.y * density)
      write(ctx, label, palette)
    }
  }

  private width(ctx: CanvasRenderingContext2D, text: string, size: number): number {
    const key = `${size}:${text}`
    let width = this.widths.get(key)
    if (width === undefined) {
      ctx.font = font(size)
      width = ctx.measureText(text).width
      this.widths.set(key, width)
    }
    return width
  }
}

function font(size: number): string {
  return `${size}px ${fontFamily}`
}

function write(ctx: CanvasRenderingContext2D, label: PlacedLabel, palette: MapPalette): void {
  const size = labelSize(label.kind, label.rank)
  ctx.font = font(size)
  ctx.lineWidth = 3
  ctx.strokeStyle = palette.labelEdge
  ctx.fillStyle = label.kind === 'water' ? palette.waterLabel : strong(label) ? palette.strongLabel : palette.label
  ctx.globalAlpha = label.kind === 'district' ? 0.75 : 1
  ctx.strokeText(label.text, 0, 0)
  ctx.fillText(label.text, 0, 0)
  ctx.globalAlpha = 1
}

function strong(label: PlacedLabel): boolean {
  return label.kind === 'district' || (label.kind === 'place' && label.rank === 1)
}

/** Paints a picture of the fleet. Runs in a worker, so that the page stays free while thousands of signs are drawn. */
import { mapPalettes, type Daylight } from '../palette'
import { backingSize, type View } from '../view'
import { drawCells, drawCount, type CountLook, type DrawnCell } from './cells'
import { signSize, stampSigns, type Mask, type Signs } from './fleetMath'
import type { Scene } from './scene'
import { spritesFor, type Sprites } from './sprites'

/** Up to so many signs are drawn with smooth edges and their heading; beyond, pixels are copied. */
const FINE_LIMIT = 3_000

/** How the fleet is drawn now. */
export interface Look {
  readonly daylight: Daylight
  readonly mask: Mask
  /** Every sign is grey: what is drawn is no longer the present. */
  readonly stale: boolean
}

/** A picture to paint: of single bikes and their stops, or of counted cells. */
export type Picture =
  | { readonly view: View; readonly look: Look; readonly signs: Signs & Pick<Scene, 'headings'>; readonly stops: Float32Array }
  | { readonly view: View; readonly look: Look; readonly cells: readonly DrawnCell[]; readonly level: number }

const STOP_FIELDS = 12

/** Counts as numbers in a row: an array of objects would be copied one by one on its way to the worker. */
export function packStops(stops: Scene['stops']): Float32Array<ArrayBuffer> {
  const packed = new Float32Array(stops.length * STOP_FIELDS)
  for (const [index, stop] of stops.entries()) packed.set([stop.x, stop.y, stop.total, stop.alarm, ...stop.byState], index * STOP_FIELDS)
  return packed
}

function* unpackStops(packed: Float32Array): Generator<DrawnCell> {
  for (let at = 0; at < packed.length; at += STOP_FIELDS) {
    const [x = 0, y = 0, total = 0, alarm = 0, ...byState] = packed.subarray(at, at + STOP_FIELDS)
    yield { x, y, total, alarm, byState }
  }
}

/** Keeps its canvas and sheet from one picture to the next. */
export class Painter {
  private readonly canvas = new OffscreenCanvas(1, 1)
  private sheet: ImageData | null = null

  paint(picture: Picture): ImageBitmap {
    const { view, look } = picture
    const { width, height } = backingSize(view)
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width
      this.canvas.height = height
    }
    const ctx = this.canvas.getContext('2d')
    if (ctx === null) throw new Error('this browser draws no canvas')
    ctx.setTransform(1, 0, 0, 1, 0, 0)
    ctx.clearRect(0, 0, width, height)
    const palette = mapPalettes[look.daylight]
    const counts: CountLook = { mask: look.mask, stale: look.stale, palette }
    if ('cells' in picture) {
      ctx.setTransform(view.density, 0, 0, view.density, 0, 0)
      drawCells(ctx, view, picture.cells, picture.level, counts)
    } else {
      const sprites = spritesFor(signSize(view.zoom), view.density, palette, look.stale)
      if (picture.signs.kinds.length > FINE_LIMIT) this.stamp(ctx, view, picture.signs, sprites)
      else drawSigns(ctx, view, picture.signs, sprites)
      ctx.setTransform(view.density, 0, 0, view.density, 0, 0)
      // Those that the filter hides are not in the stops: every bike of theirs is shown.
      for (const stop of unpackStops(picture.stops)) drawCount(ctx, stop, stop.total, stop.x, stop.y, counts)
    }
    return this.canvas.transferToImageBitmap()
  }

  private stamp(ctx: OffscreenCanvasRenderingContext2D, view: View, signs: Signs, sprites: Sprites): void {
    const { width, height } = this.canvas
    if (this.sheet?.width !== width || this.sheet.height !== height) this.sheet = ctx.createImageData(width, height)
    const pixels = new Uint32Array(this.sheet.data.buffer)
    pixels.fill(0)
    stampSigns(signs, { pixels, width, height, density: view.density }, sprites.stamps)
    ctx.putImageData(this.sheet, 0, 0)
  }
}

function drawSigns(ctx: OffscreenCanvasRenderingContext2D, view: View, signs: Signs & Pick<Scene, 'headings'>, sprites: Sprites): void {
  const size = signSize(view.zoom)
  for (let index = 0; index < signs.kinds.length; index += 1) {
    const kind = signs.kinds[index]!
    const x = signs.x[index]! * view.density
    const y = signs.y[index]! * view.density
    if (size >= 7 && (kind & 0x0f) === 1) {
      const angle = (signs.headings[index]! * 2 * Math.PI) / 180
      ctx.setTransform(Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), x, y)
      ctx.drawImage(sprites.nose, -sprites.nose.width / 2, -sprites.nose.height / 2)
      ctx.setTransform(1, 0, 0, 1, 0, 0)
    }
    const image = sprites.images[kind]!
    ctx.drawImage(image, Math.round(x - image.width / 2), Math.round(y - image.height / 2))
  }
}

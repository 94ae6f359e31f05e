import { alarmStyle, stateStyle, type StateStyle } from '@/kit/theme'

import type { MapPalette } from '../palette'
import type { Stamp } from './fleetMath'
import { drawNose, drawSign, type Ctx, type SignInk } from './signs'

/** Signs drawn once for a size, an ink and a density, and used for every bike. */
export interface Sprites {
  /** By the low five bits of the state byte. */
  readonly images: readonly OffscreenCanvas[]
  readonly stamps: readonly Stamp[]
  /** The nose of a riding bike, pointing north. */
  readonly nose: OffscreenCanvas
  /** CSS px of a sprite's side. */
  readonly side: number
}

const ALARM_RING_PX = 1.6
const kept = new Map<string, Sprites>()
/** Sizes × day and night × fresh and stale; more means a screen that changes its density all the time. */
const KEPT_LIMIT = 48

/** The signs for `size` px; drawn at the first use. */
export function spritesFor(size: number, density: number, palette: MapPalette, stale: boolean): Sprites {
  const key = `${size}/${density}/${palette.land}/${stale}`
  const known = kept.get(key)
  if (known !== undefined) return known
  if (kept.size >= KEPT_LIMIT) kept.clear()
  const made = makeSprites(size, density, palette, stale)
  kept.set(key, made)
  return made
}

function makeSprites(size: number, density: number, palette: MapPalette, stale: boolean): Sprites {
  const side = Math.ceil(size + ALARM_RING_PX * 2 + 2)
  const inkOf = (style: StateStyle): SignInk => ({
    color: stale ? palette.stale : style.color,
    edge: palette.signEdge,
    inside: palette.land,
  })
  const images: OffscreenCanvas[] = []
  for (let low = 0; low < 32; low += 1) {
    const style = stateStyle[low & 0x0f]
    const image = canvasOf(side, density, (ctx) => {
      if (style === undefined) return
      if ((low & 0x10) !== 0 && !stale) {
        ctx.fillStyle = alarmStyle.color
        ctx.beginPath()
        ctx.arc(0, 0, size / 2 + ALARM_RING_PX, 0, Math.PI * 2)
        ctx.fill()
      }
      drawSign(ctx, style.sign, size, inkOf(style))
    })
    images.push(image)
  }
  const noseSide = Math.ceil(size * 2 + 4)
  return {
    images,
    stamps: images.map(stampOf),
    nose: canvasOf(noseSide, density, (ctx) => drawNose(ctx, size, inkOf(stateStyle[1]))),
    side,
  }
}

function canvasOf(side: number, density: number, draw: (ctx: Ctx) => void): OffscreenCanvas {
  const canvas = new OffscreenCanvas(Math.ceil(side * density), Math.ceil(side * density))
  const ctx = canvas.getContext('2d', { willReadFrequently: true })
  if (ctx !== null) {
    ctx.translate(canvas.width / 2, canvas.height / 2)
    ctx.scale(density, density)
    draw(ctx)
  }
  return canvas
}

/** The pixels of a sign, its empty margin cut off: every pixel is visited for every bike. */
function stampOf(image: OffscreenCanvas): Stamp {
  const data = image.getContext('2d')?.getImageData(0, 0, image.width, image.height).data
  const whole = data === undefined ? new Uint32Array(image.width ** 2) : new Uint32Array(data.buffer)
  return cropped({ side: image.width, pixels: whole })
}

/** The stamp without its empty margin, cut equally on all sides so that its middle stays. */
export function cropped(stamp: Stamp): Stamp {
  const { side, pixels } = stamp
  let margin = Math.floor((side - 1) / 2)
  for (const [at, pixel] of pixels.entries()) {
    if (pixel === 0) continue
    const [x, y] = [at % side, Math.floor(at / side)]
    margin = Math.min(margin, x, y, side - 1 - x, side - 1 - y)
  }
  const inner = side - margin * 2
  const kept = new Uint32Array(inner * inner)
  for (let row = 0; row < inner; row += 1) {
    const from = (row + margin) * side + margin
    kept.set(pixels.subarray(from, from + inner), row * inner)
  }
  return { side: inner, pixels: kept }
}

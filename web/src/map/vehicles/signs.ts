import type { StateSign } from '@/kit/theme'

/** Signs are drawn on the page and in a worker. */
export type Ctx = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D

/** How a sign is drawn. */
export interface SignInk {
  readonly color: string
  /** Edge that keeps crowded signs apart; '' for none. */
  readonly edge: string
  /** Inside of hollow and half-filled signs. */
  readonly inside: string
}

/**
 * Draws the sign of a state around (0, 0), `size` px across, as the look asks: colour is never the
 * only difference. Below 6 px every sign is a plain dot; there is no room for more.
 */
export function drawSign(ctx: Ctx, sign: StateSign, size: number, paint: SignInk): void {
  const r = size / 2
  if (size < 6) {
    disc(ctx, r, paint.color)
    return
  }
  const edge = size >= 9 ? 1.25 : 1
  const line = Math.max(1.5, size * 0.16)
  switch (sign) {
    case 'dot':
    case 'halo':
    case 'heading':
      edged(ctx, r, edge, paint)
      disc(ctx, r - edge, paint.color)
      break
    case 'ring':
      edged(ctx, r, edge, paint)
      disc(ctx, r - edge, paint.color)
      disc(ctx, r - edge - line * 1.15, paint.inside)
      break
    case 'hollow':
      edged(ctx, r, edge, paint)
      disc(ctx, r - edge, paint.color)
      disc(ctx, r - edge - line * 0.75, paint.inside)
      break
    case 'half':
      edged(ctx, r, edge, paint)
      disc(ctx, r - edge, paint.color)
      ctx.fillStyle = paint.inside
      ctx.beginPath()
      ctx.arc(0, 0, Math.max(0.5, r - edge - line * 0.7), Math.PI, 0)
      ctx.fill()
      break
    case 'square':
      box(ctx, r * 0.9, paint.edge)
      box(ctx, r * 0.9 - edge, paint.color)
      break
    case 'triangle':
      triangle(ctx, r + edge * 0.6, paint.edge)
      triangle(ctx, r - edge * 0.9, paint.color)
      break
    case 'cross':
      cross(ctx, r * 0.82, line * 1.2 + edge * 2, paint.edge)
      cross(ctx, r * 0.82, line * 1.2, paint.color)
      break
  }
}

/** The nose that shows where a riding bike heads; drawn around (0, 0), pointing up. */
export function drawNose(ctx: Ctx, size: number, paint: SignInk): void {
  const r = size / 2
  ctx.fillStyle = paint.color
  ctx.strokeStyle = paint.edge || paint.color
  ctx.lineWidth = 1
  ctx.beginPath()
  ctx.moveTo(0, -r - size * 0.46)
  ctx.lineTo(r * 0.82, -r * 0.5)
  ctx.lineTo(-r * 0.82, -r * 0.5)
  ctx.closePath()
  ctx.fill()
  ctx.stroke()
}

function edged(ctx: Ctx, r: number, edge: number, paint: SignInk): void {
  if (paint.edge !== '' && edge > 0) disc(ctx, r, paint.edge)
}

function disc(ctx: Ctx, r: number, color: string): void {
  if (r <= 0) return
  ctx.fillStyle = color
  ctx.beginPath()
  ctx.arc(0, 0, r, 0, Math.PI * 2)
  ctx.fill()
}

function box(ctx: Ctx, r: number, color: string): void {
  if (color === '') return
  ctx.fillStyle = color
  ctx.fillRect(-r, -r, r * 2, r * 2)
}

function triangle(ctx: Ctx, r: number, color: string): void {
  if (color === '') return
  ctx.fillStyle = color
  ctx.beginPath()
  ctx.moveTo(0, -r)
  ctx.lineTo(r * 0.95, r * 0.75)
  ctx.lineTo(-r * 0.95, r * 0.75)
  ctx.closePath()
  ctx.fill()
}

function cross(ctx: Ctx, r: number, width: number, color: string): void {
  if (color === '') return
  ctx.strokeStyle = color
  ctx.lineWidth = width
  ctx.lineCap = 'round'
  ctx.beginPath()
  ctx.moveTo(-r, -r)
  ctx.lineTo(r, r)
  ctx.moveTo(r, -r)
  ctx.lineTo(-r, r)
  ctx.stroke()
  ctx.lineCap = 'butt'
}

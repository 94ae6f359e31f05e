import { fontFamily, stateStyle, alarmStyle } from '@/kit/theme'

import type { MapPalette } from '../palette'
import type { View } from '../view'
import { ALARM_MASK, stopRadius, type CountedCell, type Mask } from './fleetMath'
import type { Ctx } from './signs'

/** A count that can be drawn: of a cell (`x` and `y` its tile address, counted here or by the server) or of a stop. */
export type DrawnCell = Readonly<Pick<CountedCell, 'x' | 'y' | 'total' | 'alarm'>> & { readonly byState: readonly number[] }

/** How counts are drawn. */
export interface CountLook {
  readonly mask: Mask
  readonly palette: MapPalette
  readonly stale: boolean
}

/** How many bikes of a cell the filter shows. */
export function shownInCell(cell: DrawnCell, mask: Mask): number {
  if (mask === 0) return cell.total
  if (mask === ALARM_MASK) return cell.alarm
  let sum = 0
  for (const [state, count] of cell.byState.entries()) if (((1 << state) & mask) !== 0) sum += count
  // Which of the alarming ones are already counted by their state is not known: never count one twice.
  return (mask & ALARM_MASK) === 0 ? sum : Math.min(cell.total, Math.max(sum, cell.alarm))
}

/** Bikes as a reader takes them in: `986`, `1.2万`. */
export function shortCount(count: number): string {
  return count < 10_000 ? String(count) : `${(count / 10_000).toFixed(1)}万`
}

/**
 * Draws world-aligned cells of tile level `level`: a tint by density, the count, and around it a
 * thin ring with the shares of the states.
 */
export function drawCells(ctx: Ctx, view: View, cells: readonly DrawnCell[], level: number, look: CountLook): void {
  const { mask, palette, stale } = look
  const side = 256 * 2 ** (view.zoom - level)
  let most = 1
  for (const cell of cells) most = Math.max(most, shownInCell(cell, mask))
  for (const cell of cells) {
    const count = shownInCell(cell, mask)
    const left = cell.x * side - view.originX
    const top = cell.y * side - view.originY
    if (count === 0 || left < -side || top < -side || left > view.width || top > view.height) continue
    ctx.globalAlpha = 0.05 + 0.2 * (Math.log(count + 1) / Math.log(most + 1))
    ctx.fillStyle = stale ? palette.stale : palette.accent
    ctx.fillRect(left + 0.5, top + 0.5, side - 1, side - 1)
    ctx.globalAlpha = 1
    drawCount(ctx, cell, count, left + side / 2, top + side / 2, look)
  }
}

/** A count in its disc around (x, y), the shares of the states around it, a red dot when a bike has an alarm. */
export function drawCount(ctx: Ctx, cell: DrawnCell, count: number, x: number, y: number, look: CountLook): void {
  const { mask, palette, stale } = look
  const r = stopRadius(count)
  ctx.fillStyle = palette.panel
  ctx.beginPath()
  ctx.arc(x, y, r, 0, Math.PI * 2)
  ctx.fill()
  drawShares(ctx, cell, x, y, r - 1.5, look)
  ctx.fillStyle = stale ? palette.stale : palette.panelText
  ctx.textAlign = 'center'
  ctx.textBaseline = 'middle'
  ctx.font = `600 ${count >= 10_000 ? 11 : 12}px ${fontFamily}`
  ctx.fillText(shortCount(count), x, y + 0.5)
  if (cell.alarm === 0 || stale || mask === ALARM_MASK) return
  ctx.fillStyle = alarmStyle.color
  ctx.strokeStyle = palette.panel
  ctx.lineWidth = 1.5
  ctx.beginPath()
  ctx.arc(x + r * 0.72, y - r * 0.72, 4.5, 0, Math.PI * 2)
  ctx.fill()
  ctx.stroke()
}

function drawShares(ctx: Ctx, cell: DrawnCell, x: number, y: number, r: number, { mask, palette, stale }: CountLook): void {
  ctx.lineWidth = 3
  const chosen = mask & ~ALARM_MASK
  let sum = 0
  for (const [state, count] of cell.byState.entries()) if (chosen === 0 || ((1 << state) & chosen) !== 0) sum += count
  if (sum === 0 || stale || mask === ALARM_MASK) {
    ctx.strokeStyle = stale ? palette.stale : alarmStyle.color
    ctx.beginPath()
    ctx.arc(x, y, r, 0, Math.PI * 2)
    ctx.stroke()
    return
  }
  let from = -Math.PI / 2
  for (const [state, count] of cell.byState.entries()) {
    if (count === 0 || (chosen !== 0 && ((1 << state) & chosen) === 0)) continue
    const to = from + (count / sum) * Math.PI * 2
    ctx.strokeStyle = stateStyle[state]?.color ?? palette.stale
    ctx.beginPath()
    ctx.arc(x, y, r, from, to)
    ctx.stroke()
    from = to
  }
}

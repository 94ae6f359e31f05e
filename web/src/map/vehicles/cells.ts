import { fontFamily, stateStyle, alarmStyle } from '@/app/theme'

import type { Frame } from '../CanvasOverlay'
import type { MapPalette } from '../palette'
import { ALARM_MASK, type CountedCell, type Mask } from './fleetMath'

/** A cell that can be drawn: counted here or by the server. */
export type DrawnCell = Readonly<Pick<CountedCell, 'x' | 'y' | 'total' | 'alarm'>> & { readonly byState: readonly number[] }

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

/** Radius of the count's disc, px; a cell is 64 px wide. */
export function cellRadius(count: number): number {
  return Math.min(29, 12.5 + 4.6 * Math.log10(Math.max(1, count)))
}

/**
 * Draws world-aligned cells of tile level `level`: a tint by density, the count, and around it a
 * thin ring with the shares of the states.
 */
export function drawCells(frame: Frame, cells: readonly DrawnCell[], level: number, mask: Mask, palette: MapPalette, stale: boolean): void {
  const { ctx, density } = frame
  ctx.setTransform(density, 0, 0, density, 0, 0)
  const side = 256 * 2 ** (frame.zoom - level)
  let most = 1
  for (const cell of cells) most = Math.max(most, shownInCell(cell, mask))
  ctx.textAlign = 'center'
  ctx.textBaseline = 'middle'
  for (const cell of cells) {
    const count = shownInCell(cell, mask)
    const left = cell.x * side - frame.originX
    const top = cell.y * side - frame.originY
    if (count === 0 || left < -side || top < -side || left > frame.width || top > frame.height) continue
    ctx.globalAlpha = 0.05 + 0.2 * (Math.log(count + 1) / Math.log(most + 1))
    ctx.fillStyle = stale ? palette.stale : palette.accent
    ctx.fillRect(left + 0.5, top + 0.5, side - 1, side - 1)
    ctx.globalAlpha = 1
    drawCount(ctx, cell, count, left + side / 2, top + side / 2, mask, palette, stale)
  }
}

function drawCount(
  ctx: CanvasRenderingContext2D,
  cell: DrawnCell,
  count: number,
  x: number,
  y: number,
  mask: Mask,
  palette: MapPalette,
  stale: boolean,
): void {
  const r = cellRadius(count)
  ctx.fillStyle = palette.panel
  ctx.beginPath()
  ctx.arc(x, y, r, 0, Math.PI * 2)
  ctx.fill()
  drawShares(ctx, cell, x, y, r - 1.5, mask, palette, stale)
  ctx.fillStyle = stale ? palette.stale : palette.panelText
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

function drawShares(
  ctx: CanvasRenderingContext2D,
  cell: DrawnCell,
  x: number,
  y: number,
  r: number,
  mask: Mask,
  palette: MapPalette,
  stale: boolean,
): void {
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

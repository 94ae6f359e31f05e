/** The hot loops of the vehicle layer: culling, stamping, counting. Pure functions over typed arrays. */

/** What the loops read of a fleet store. */
export interface Bikes {
  readonly x: Float64Array
  readonly y: Float64Array
  readonly flags: Uint8Array
  readonly present: Uint8Array
  readonly high: number
  readonly count: number
}

/** A stretch of canvas: a world pixel is at `x * scale - originX`. */
export interface Window {
  readonly scale: number
  readonly originX: number
  readonly originY: number
  readonly width: number
  readonly height: number
}

/** Which states are shown: bit n for state n, bit 8 for those with an alarm. 0 shows everything. */
export type Mask = number
export const ALARM_MASK = 0x100
/** Bit of the state byte of a bike with an alarm. */
export const ALARM_BIT = 0x10
const RIDING = 1
const MOVING_BIT = 0x80

/** Whether a bike with this state byte stands somewhere: what rides or is pushed is never part of a count. */
export function atRest(flags: number): boolean {
  return (flags & 0x0f) !== RIDING && (flags & MOVING_BIT) === 0
}

/** Whether a bike with this state byte is shown under `mask`. */
export function shown(flags: number, mask: Mask): boolean {
  if (mask === 0) return true
  return ((1 << (flags & 0x0f)) & mask) !== 0 || ((flags & 0x10) !== 0 && (mask & ALARM_MASK) !== 0)
}

/**
 * Writes the slots inside the window (and `slack` px around it) to `out` and answers how many there
 * are; those beyond the length of `out` are counted but not written.
 */
export function cull(bikes: Bikes, window: Window, mask: Mask, slack: number, out: Int32Array): number {
  const { scale } = window
  const west = (window.originX - slack) / scale
  const north = (window.originY - slack) / scale
  const east = (window.originX + window.width + slack) / scale
  const south = (window.originY + window.height + slack) / scale
  let found = 0
  for (let slot = 0; slot < bikes.high; slot += 1) {
    if (bikes.present[slot] === 0) continue
    const x = bikes.x[slot]!
    const y = bikes.y[slot]!
    if (x < west || x > east || y < north || y > south || !shown(bikes.flags[slot]!, mask)) continue
    if (found < out.length) out[found] = slot
    found += 1
  }
  return found
}

/** A pre-drawn sign as pixels (RGBA as one little-endian u32). */
export interface Stamp {
  readonly side: number
  readonly pixels: Uint32Array
}

/** A picture to stamp into; `density` backing px for each CSS px. */
export interface Sheet {
  readonly pixels: Uint32Array
  readonly width: number
  readonly height: number
  readonly density: number
}

const OPAQUE = 0x80

/** Signs to stamp: places in CSS px of the sheet, and which stamp each takes. */
export interface Signs {
  readonly x: Float32Array
  readonly y: Float32Array
  readonly kinds: Uint8Array
}

/**
 * Copies the stamp of each sign into the sheet, in order. Half-transparent edge pixels only land on empty
 * ground, so that a crowd stays crisp.
 */
export function stampSigns(signs: Signs, sheet: Sheet, stampOf: readonly (Stamp | undefined)[]): void {
  for (let index = 0; index < signs.kinds.length; index += 1) {
    const stamp = stampOf[signs.kinds[index]!]
    if (stamp === undefined) continue
    const { side, pixels } = stamp
    const left = Math.round(signs.x[index]! * sheet.density - side / 2)
    const top = Math.round(signs.y[index]! * sheet.density - side / 2)
    const fromRow = Math.max(0, -top)
    const toRow = Math.min(side, sheet.height - top)
    const fromColumn = Math.max(0, -left)
    const toColumn = Math.min(side, sheet.width - left)
    for (let row = fromRow; row < toRow; row += 1) {
      let from = row * side + fromColumn
      let to = (top + row) * sheet.width + left + fromColumn
      for (let column = fromColumn; column < toColumn; column += 1) {
        const pixel = pixels[from]!
        const alpha = pixel >>> 24
        if (alpha >= OPAQUE || (alpha !== 0 && sheet.pixels[to] === 0)) sheet.pixels[to] = pixel
        from += 1
        to += 1
      }
    }
  }
}

/** Side of a counting cell on the screen, px: cells are map tiles two levels below the zoom. */
export const CELL_PX = 64

/** Counts of one cell while drawing; `x` and `y` are its tile address. */
export interface CountedCell {
  x: number
  y: number
  total: number
  alarm: number
  byState: number[]
}

/** Counts the listed bikes by world-aligned cells of level `level`. */
export function countCells(bikes: Bikes, slots: Int32Array, count: number, level: number): CountedCell[] {
  const perPixel = 2 ** level / 256
  const cells = new Map<number, CountedCell>()
  for (let index = 0; index < count; index += 1) {
    const slot = slots[index]!
    const x = Math.floor(bikes.x[slot]! * perPixel)
    const y = Math.floor(bikes.y[slot]! * perPixel)
    const address = x * 2 ** 24 + y
    let cell = cells.get(address)
    if (cell === undefined) {
      cell = { x, y, total: 0, alarm: 0, byState: [0, 0, 0, 0, 0, 0, 0, 0] }
      cells.set(address, cell)
    }
    const flags = bikes.flags[slot]!
    const state = flags & 0x0f
    cell.total += 1
    cell.byState[state] = (cell.byState[state] ?? 0) + 1
    if ((flags & 0x10) !== 0) cell.alarm += 1
  }
  return [...cells.values()]
}

/** Radius of a count's disc, px; a counting cell is 64 px wide. */
export function stopRadius(count: number): number {
  return Math.min(29, 12.5 + 4.6 * Math.log10(Math.max(1, count)))
}

/** Diameter in px of a bike's sign: 3 in the whole city, 18 in a street. */
export function signSize(zoom: number): number {
  const sizes: Readonly<Record<number, number>> = { 11: 3, 12: 6, 13: 8, 14: 10, 15: 12, 16: 14, 17: 16, 18: 18 }
  return sizes[Math.max(11, Math.min(18, Math.floor(zoom)))] ?? 3
}

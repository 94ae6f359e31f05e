/** How dense bikes lie, as a picture. Pure. */

/** Side of a cell of the grid, CSS px. */
export const HEAT_CELL_PX = 4
/** How far one bike reaches, cells. */
const REACH = 5
/** So many bikes at one place are as hot as it gets at least, however few there are elsewhere. */
const HOT_LEAST = 4
/** Share of the cells with bikes that may be hotter than the hottest colour. */
const HOT_SHARE = 0.005

export interface HeatGrid {
  readonly columns: number
  readonly rows: number
  readonly heat: Float32Array
}

export function heatGrid(width: number, height: number): HeatGrid {
  const columns = Math.ceil(width / HEAT_CELL_PX)
  const rows = Math.ceil(height / HEAT_CELL_PX)
  return { columns, rows, heat: new Float32Array(columns * rows) }
}

/** Adds so many bikes at a place, CSS px of the picture; what lies outside is passed over. */
export function addHeat({ columns, rows, heat }: HeatGrid, x: number, y: number, weight: number): void {
  const column = Math.floor(x / HEAT_CELL_PX)
  const row = Math.floor(y / HEAT_CELL_PX)
  if (column < 0 || row < 0 || column >= columns || row >= rows) return
  heat[row * columns + column]! += weight
}

/** Spreads what lies in each cell around it: three times the mean of its neighbours, across and down, which is nearly a bell. */
export function spread({ columns, rows, heat }: HeatGrid): void {
  const line = new Float32Array(Math.max(columns, rows))
  for (let pass = 0; pass < 3; pass += 1) {
    for (let row = 0; row < rows; row += 1) blur(heat, row * columns, 1, columns, line)
    for (let column = 0; column < columns; column += 1) blur(heat, column, columns, rows, line)
  }
}

function blur(heat: Float32Array, start: number, step: number, count: number, line: Float32Array): void {
  let sum = 0
  for (let at = 0; at < Math.min(REACH, count); at += 1) sum += heat[start + at * step]!
  for (let at = 0; at < count; at += 1) {
    if (at + REACH < count) sum += heat[start + (at + REACH) * step]!
    if (at - REACH - 1 >= 0) sum -= heat[start + (at - REACH - 1) * step]!
    line[at] = sum / (2 * REACH + 1)
  }
  for (let at = 0; at < count; at += 1) heat[start + at * step] = line[at]!
}

/** What is shown in the hottest colour. */
export function hottest({ heat }: HeatGrid): number {
  const some = heat.filter((value) => value > 0).toSorted()
  const one = 1 / (2 * REACH + 1) ** 2
  return Math.max(some[Math.floor(some.length * (1 - HOT_SHARE))] ?? 0, HOT_LEAST * one)
}

const MOST_OPAQUE = 200

/** RGBA of each cell: one hue, from nothing to dark. */
export function heatPixels(grid: HeatGrid, [red, green, blue]: readonly [number, number, number]): Uint8ClampedArray<ArrayBuffer> {
  const pixels = new Uint8ClampedArray(grid.heat.length * 4)
  const most = hottest(grid)
  for (let cell = 0; cell < grid.heat.length; cell += 1) {
    // By its root: a street with few bikes is still to be seen beside a square with many.
    const share = Math.sqrt(Math.min(1, grid.heat[cell]! / most))
    if (share < 0.08) continue
    const dark = 1 - 0.45 * share
    pixels[cell * 4] = red * dark
    pixels[cell * 4 + 1] = green * dark
    pixels[cell * 4 + 2] = blue * dark
    pixels[cell * 4 + 3] = MOST_OPAQUE * share
  }
  return pixels
}

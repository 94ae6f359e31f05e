import { describe, expect, it } from 'vitest'

import { addHeat, HEAT_CELL_PX, heatGrid, heatPixels, spread } from './heat'

const alpha = (pixels: Uint8ClampedArray, cell: number) => pixels[cell * 4 + 3]!

describe('heat of bikes', () => {
  it('is hottest where bikes stand, less beside, and nothing far away', () => {
    const grid = heatGrid(400, 200)
    for (let bike = 0; bike < 50; bike += 1) addHeat(grid, 100, 100, 1)
    spread(grid)
    const cell = (x: number, y: number) => Math.floor(y / HEAT_CELL_PX) * grid.columns + Math.floor(x / HEAT_CELL_PX)
    const pixels = heatPixels(grid, [54, 163, 255])
    expect(alpha(pixels, cell(100, 100))).toBeGreaterThan(alpha(pixels, cell(124, 100)))
    expect(alpha(pixels, cell(124, 100))).toBeGreaterThan(0)
    expect(alpha(pixels, cell(300, 100))).toBe(0)
    // A count, not a share of the picture: nothing is lost while it spreads.
    expect(grid.heat.reduce((sum, value) => sum + value, 0)).toBeCloseTo(50, 3)
  })

  it('takes no bike from beyond its edge', () => {
    const grid = heatGrid(40, 40)
    addHeat(grid, -1, 5, 1)
    addHeat(grid, 5, 41, 1)
    expect(grid.heat.every((value) => value === 0)).toBe(true)
  })

  it('does not burn for a single bike', () => {
    const one = heatGrid(200, 200)
    addHeat(one, 100, 100, 1)
    spread(one)
    const many = heatGrid(200, 200)
    addHeat(many, 100, 100, 40)
    spread(many)
    const highest = (grid: typeof one) => Math.max(...heatPixels(grid, [0, 0, 0]).filter((_, at) => at % 4 === 3))
    expect(highest(one)).toBeLessThan(highest(many))
  })
})

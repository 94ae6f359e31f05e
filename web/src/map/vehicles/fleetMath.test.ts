import { describe, expect, it } from 'vitest'

import { FleetStore } from '@/live/fleetStore'

import { ALARM_MASK, countCells, cull, shown, signSize, stampSigns, type Signs, type Stamp } from './fleetMath'
import { cropped } from './sprites'

/** World (0°, 0°) is at (128, 128); at scale 64 and this origin it is in the middle of 400 × 300. */
const window = { scale: 64, originX: 128 * 64 - 200, originY: 128 * 64 - 150, width: 400, height: 300 }
const pxToLng = (px: number) => ((px / 64 / 256) * 360) * 1e6

function fleetOf(...bikes: [slot: number, dx: number, flags?: number][]): FleetStore {
  const store = new FleetStore()
  for (const [slot, dx, flags] of bikes) store.put(slot, 0, Math.round(pxToLng(dx)), 50, flags ?? 0, 0, 0)
  return store
}

describe('culling', () => {
  it('finds the bikes in the window and within the slack around it', () => {
    const store = fleetOf([1, 0], [2, 150], [3, 215], [4, 500])
    const out = new Int32Array(8)
    expect(cull(store, window, 0, 0, out)).toBe(2)
    expect([...out.subarray(0, 2)]).toEqual([1, 2])
    expect(cull(store, window, 0, 20, out)).toBe(3)
  })

  it('counts beyond the room it has without writing there', () => {
    const store = fleetOf([0, 0], [1, 1], [2, 2])
    const out = new Int32Array(2)
    expect(cull(store, window, 0, 0, out)).toBe(3)
    expect([...out]).toEqual([0, 1])
  })

  it('leaves out what the filter hides', () => {
    const store = fleetOf([0, 0, 0], [1, 1, 1], [2, 2, 1 | 0x10])
    const out = new Int32Array(8)
    expect(cull(store, window, 1 << 0, 0, out)).toBe(1)
    expect(cull(store, window, 1 << 1, 0, out)).toBe(2)
    expect(cull(store, window, ALARM_MASK, 0, out)).toBe(1)
  })
})

describe('the filter', () => {
  it('with nothing chosen shows everything', () => {
    expect(shown(0x97, 0)).toBe(true)
  })
  it('shows an alarming bike for its state or for its alarm', () => {
    expect(shown(0x14, 1 << 4)).toBe(true)
    expect(shown(0x14, ALARM_MASK)).toBe(true)
    expect(shown(0x14, 1 << 5)).toBe(false)
  })
})

/** Signs at the middle of a 400 × 300 sheet, `dx` px beside it. */
function signsOf(...signs: [dx: number, kind?: number][]): Signs {
  return {
    x: Float32Array.from(signs, ([dx]) => 200 + dx),
    y: Float32Array.from(signs, () => 150),
    kinds: Uint8Array.from(signs, ([, kind]) => kind ?? 0),
  }
}

describe('stamping', () => {
  const full: Stamp = { side: 3, pixels: new Uint32Array(9).fill(0xff00ff00) }
  const sheetOf = () => ({ pixels: new Uint32Array(400 * 300), width: 400, height: 300, density: 1 })

  it('writes the sign around the place of the bike', () => {
    const sheet = sheetOf()
    stampSigns(signsOf([0]), sheet, [full])
    expect(sheet.pixels.filter((pixel) => pixel !== 0)).toHaveLength(9)
    expect(sheet.pixels[150 * 400 + 200]).toBe(0xff00ff00)
  })

  it('clips at the edges of the sheet', () => {
    const sheet = sheetOf()
    stampSigns(signsOf([-200], [199.9], [260]), sheet, [full])
    const columns = new Set([...sheet.pixels.keys()].filter((at) => sheet.pixels[at] !== 0).map((at) => at % 400))
    expect([...columns].toSorted((a, b) => a - b)).toEqual([0, 1, 398, 399])
  })

  it('lets a faint edge land on empty ground only', () => {
    const faint: Stamp = { side: 1, pixels: Uint32Array.of(0x20ff_ffff) }
    const solid: Stamp = { side: 1, pixels: Uint32Array.of(0xff00_00ff) }
    const sheet = sheetOf()
    stampSigns(signsOf([0, 0], [0, 1], [9, 1]), sheet, [solid, faint])
    expect(sheet.pixels[150 * 400 + 200]).toBe(0xff00_00ff)
    expect(sheet.pixels[150 * 400 + 209]).toBe(0x20ff_ffff)
  })

  it('puts backing pixels where the density asks', () => {
    const sheet = { pixels: new Uint32Array(800 * 600), width: 800, height: 600, density: 2 }
    stampSigns(signsOf([10]), sheet, [full])
    expect(sheet.pixels[300 * 800 + 420]).toBe(0xff00ff00)
  })
})

describe('cropping a stamp', () => {
  it('cuts the empty margin equally and keeps the middle', () => {
    const pixels = new Uint32Array(25)
    pixels[2 * 5 + 2] = 7
    pixels[1 * 5 + 2] = 9
    expect(cropped({ side: 5, pixels })).toEqual({ side: 3, pixels: Uint32Array.of(0, 9, 0, 0, 7, 0, 0, 0, 0) })
  })
  it('of nothing leaves one empty pixel', () => {
    expect(cropped({ side: 5, pixels: new Uint32Array(25) })).toEqual({ side: 1, pixels: Uint32Array.of(0) })
  })
})

describe('counting by cells', () => {
  it('puts bikes into world-aligned cells that do not depend on the window', () => {
    const store = fleetOf([0, 1, 0], [1, 2, 0x11], [2, -1, 2])
    const cells = countCells(store, Int32Array.of(0, 1, 2), 3, 8)
    expect(cells.map((cell) => [cell.x, cell.total, cell.alarm])).toEqual([
      [128, 2, 1],
      [127, 1, 0],
    ])
    expect(cells[0]?.byState).toEqual([1, 1, 0, 0, 0, 0, 0, 0])
  })
})

describe('a sign', () => {
  it('grows from 3 px in the city to 18 px in the street', () => {
    expect([9, 11, 18, 19].map(signSize)).toEqual([3, 3, 18, 18])
  })
})

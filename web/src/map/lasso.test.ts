import { describe, expect, it } from 'vitest'

import { boxOf, inRing, lassoed } from './lasso'

const at = (x: number, y: number) => ({ x, y })

describe('what is drawn around bikes', () => {
  it('holds what lies in its ring, whichever way it was drawn', () => {
    const dent = [at(0, 0), at(10, 0), at(10, 10), at(5, 4), at(0, 10)]
    for (const ring of [dent, dent.toReversed()]) {
      expect(inRing(ring, 2, 2)).toBe(true)
      expect(inRing(ring, 5, 8)).toBe(false)
      expect(inRing(ring, 11, 5)).toBe(false)
    }
  })

  it('is a box from any two corners', () => {
    expect(inRing(boxOf(at(10, 10), at(0, 0)), 5, 5)).toBe(true)
    expect(inRing(boxOf(at(10, 10), at(0, 0)), 15, 5)).toBe(false)
  })

  const bikes = {
    x: Float64Array.of(1, 2, 3, 30, 4),
    y: Float64Array.of(1, 2, 3, 3, 4),
    flags: Uint8Array.of(0, 1, 0, 0, 0),
    present: Uint8Array.of(1, 1, 1, 1, 0),
    high: 5,
    count: 4,
  }
  const all = boxOf(at(0, 0), at(10, 10))

  it('takes the bikes that are shown, and no others', () => {
    expect(lassoed(bikes, 0, all, 10)).toEqual({ slots: [0, 1, 2], total: 3 })
    expect(lassoed(bikes, 0b1, all, 10)).toEqual({ slots: [0, 2], total: 2 })
  })

  it('takes no more than may be acted on, and says how many there are', () => {
    expect(lassoed(bikes, 0, all, 2)).toEqual({ slots: [0, 1], total: 3 })
  })
})

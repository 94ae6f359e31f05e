import { describe, expect, it } from 'vitest'
import { headerGone } from './headerScroll'

describe('a header that hides itself', () => {
  it('CONST-011 SET-008 is there at 90 px and gone at 110 px', () => {
    expect(headerGone(false, 0, 90, 2000)).toBe(false)
    expect(headerGone(false, 90, 100, 2000)).toBe(false)
    expect(headerGone(false, 90, 110, 2000)).toBe(true)
  })

  it('comes back on the way up, and near the top in any case', () => {
    expect(headerGone(true, 500, 480, 2000)).toBe(false)
    expect(headerGone(true, 500, 498, 2000)).toBe(true)
    expect(headerGone(true, 500, 520, 2000)).toBe(true)
    expect(headerGone(true, 110, 100, 2000)).toBe(false)
  })

  it('does not flicker at the end of a short page, where its going alone scrolls up', () => {
    expect(headerGone(false, 100, 120, 130)).toBe(false)
    expect(headerGone(true, 250, 202, 202)).toBe(true)
  })
})

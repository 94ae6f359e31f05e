import { describe, expect, it } from 'vitest'
import { allows } from './held'

describe('permissions', () => {
  const codes = new Set(['A', 'B', 'C'])
  it('AMB-088 || splits first, commas ask for all, blanks do not count, empty hides', () => {
    expect(allows('A', codes)).toBe(true)
    expect(allows('A,X', codes)).toBe(false)
    expect(allows('A, B', codes)).toBe(true)
    expect(allows('X,A||C', codes)).toBe(true)
    expect(allows('X || Y', codes)).toBe(false)
    expect(allows('', codes)).toBe(false)
    expect(allows('A,', codes)).toBe(false)
  })
})

import { expect, it } from 'vitest'
import { daysLeft } from './days'

it('days are counted in Shanghai', () => {
  // 2026-12-31 00:30 there, still the 30th in London.
  const now = Date.UTC(2026, 11, 30, 16, 30)
  expect(daysLeft('2026-12-31', now)).toBe(0)
  expect(daysLeft('2027-01-30', now)).toBe(30)
  expect(daysLeft('2026-12-30', now)).toBe(-1)
})

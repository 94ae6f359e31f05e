import { describe, expect, it } from 'vitest'
import { amountOf, limitChanges, type Limits, ruleText } from './approval'

const rule = (need: 0 | 1 | 2, aboveCents = 0) => ({ kind: 'order.refund', need, aboveCents })
const kinds: Limits['kinds'] = [{ label: '退款', measured: true, usual: rule(1, 5000), now: rule(1, 5000) }]
const version = (dataVersion: number, ...rules: ReturnType<typeof rule>[]) => ({ dataVersion, rules, fromAt: 0, counted: [[0, null]] })

describe('a request for a second person', () => {
  it('has an amount where its deed has one', () => {
    expect(amountOf({ amountCents: 123_456 })).toBe('1,234.56')
    expect(amountOf({ amountCents: 0 })).toBe('--')
  })
})

describe('limits', () => {
  it('are said in words', () => {
    expect([rule(0), rule(1, 5000), rule(2)].map(ruleText)).toEqual(['无需复核', '超过 50.00 元时复核', '每次复核'])
  })
  it('of the first version differ from what is usual, and of each other from the one before', () => {
    expect(limitChanges(kinds, version(1, rule(2)), undefined)).toEqual([{ label: '退款', before: '超过 50.00 元时复核', after: '每次复核' }])
    expect(limitChanges(kinds, version(2, rule(2)), version(1, rule(2)))).toEqual([])
    // Left out, what is usual holds again.
    expect(limitChanges(kinds, version(3), version(2, rule(0)))).toEqual([{ label: '退款', before: '无需复核', after: '超过 50.00 元时复核' }])
  })
})

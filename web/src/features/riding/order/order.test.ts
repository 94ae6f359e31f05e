import { describe, expect, it } from 'vitest'
import { compared, distanceText, endText, lastedText, momentOf, type Receipt, writtenOf } from './order'
import { became } from './OrderActs'

const receipt = (lines: readonly (readonly [rule: Receipt['lines'][number]['rule'], cents: number])[]): Receipt => ({
  lines: lines.map(([rule, amountCents]) => ({ rule, amountCents, quantity: 0 })),
  originCents: 0,
  cardCents: 0,
  discountCents: 0,
  dispatchCents: 0,
  helmetCents: 0,
  payCents: lines.reduce((sum, [, cents]) => sum + cents, 0),
  heldBackCents: 0,
})

describe('an order in words', () => {
  it('says how long and how far', () => {
    expect([lastedText(59), lastedText(61), lastedText(3661)]).toEqual(['59 秒', '1 分 1 秒', '1 小时 1 分'])
    expect([distanceText(999), distanceText(1250)]).toEqual(['999 米', '1.25 公里'])
    expect(endText({ endKind: null, class: null })).toBe('')
    expect(endText({ endKind: 4, class: 3 })).toMatch(/^客服结束 · /)
  })

  it('reads and writes moments in the time of the operation, wherever the browser is', () => {
    const at = Date.parse('2026-11-23T08:00:00+08:00')
    expect(momentOf('2026-11-23 08:00:00')).toBe(at)
    expect(momentOf(writtenOf(at))).toBe(at)
    expect(momentOf('')).toBeNull()
  })

  it('says whether a second person decides', () => {
    expect(became({})).toBe('已执行')
    expect(became({ approvalId: '1' })).toContain('复核')
  })
})

describe('two receipts', () => {
  it('are compared rule by rule; one that only one of them has counts as nothing in the other', () => {
    const stored = receipt([
      [2, 150],
      [9, -10],
      [9, -5],
      [22, 500],
    ])
    const rows = compared(stored, receipt([[2, 150]]))
    expect(rows.map(({ stored: then, other }) => [then, other])).toEqual([
      [150, 150],
      [-15, 0],
      [500, 0],
    ])
  })
})

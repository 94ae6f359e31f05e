import { describe, expect, it } from 'vitest'
import { missReasonLabels } from '@/api/generated/labels'
import { became } from './OrderActs'
import { missReason, missSummary, partsOf, placeText } from './miss'
import { remindedText } from './order'

describe('missed orders', () => {
  it('each reason has its part of all, in the order in which they were told', () => {
    const parts = partsOf({
      reasons: [
        { reason: 1, misses: 3 },
        { reason: 40, misses: 1 },
      ],
    })
    expect(parts.map(({ label, misses, percent }) => [label, misses, percent])).toEqual([
      ['电量不足', 3, 75],
      ['300 米内无车可租', 1, 25],
    ])
  })

  it('bikes, riders and locks look different, and every reason has a name', () => {
    const colors = [1, 20, 30, 40].map((reason) => missReason(reason as 1).color)
    expect(new Set(colors).size).toBe(4)
    for (const reason of Object.keys(missReasonLabels)) expect(missReason(Number(reason) as 1).label).not.toBe('--')
  })

  it('the split is of all reasons, whichever one the list shows', () => {
    const one = missSummary({ reason: '1', opAreaId: '3' }).queryKey
    expect(one).toEqual(missSummary({ reason: '2', opAreaId: '3' }).queryKey)
    expect(one).not.toEqual(missSummary({ reason: '1', opAreaId: '4' }).queryKey)
  })

  it('a place is written as it is, and none as nothing', () => {
    expect(placeText({ lat: 24.5, lng: 118.1 })).toBe('24.500000, 118.100000')
    expect(placeText({ lat: null, lng: null })).toBe('')
  })
})

describe('reminders', () => {
  it('say how often, when and how', () => {
    const at = Date.UTC(2026, 10, 24, 2, 0, 0)
    expect(remindedText({ reminders: 2, remindedAt: at, remindWay: 1 })).toBe('2 次 · 最近 2026-11-24 10:00:00（短信）')
    expect(remindedText({ reminders: 0, remindedAt: null, remindWay: null })).toBe('')
  })

  it('tell whether a message left', () => {
    expect(became({ way: 1, sent: true })).toContain('短信已发出')
    expect(became({ way: 1, sent: false })).toContain('没有发出')
    expect(became({ way: 0, sent: null })).toContain('客户端')
    expect(became({ approvalId: '1' })).toContain('复核')
  })
})

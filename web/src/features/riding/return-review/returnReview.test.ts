import { describe, expect, it } from 'vitest'
import { formerOf, metres, outcomeOf, pullOf, titleOf } from './returnReview'

describe('a return review', () => {
  it('is known by its bike and by why its rider asks, or by who opened it', () => {
    expect(titleOf({ carId: 'X0001', source: 1, reason: 3 })).toBe('X0001 · 定位漂移')
    expect(titleOf({ carId: 'X0001', source: 3, reason: null })).toBe('X0001 · 系统待确认')
  })

  it('tells who decided: a person, the clock or a picture', () => {
    const decided = { state: 1, reviewer: '李审', timedOut: false, source: 1, decidedAt: 7 } as const
    expect(outcomeOf({ ...decided, state: 0 })).toBeNull()
    expect(outcomeOf(decided)).toEqual({ act: '通过', by: '李审', at_ms: 7 })
    expect(outcomeOf({ ...decided, state: 2 })?.act).toBe('驳回')
    expect(outcomeOf({ ...decided, reviewer: '', timedOut: true })?.by).toBe('系统（超时无人审核）')
    expect(outcomeOf({ ...decided, reviewer: '', source: 2 })?.by).toBe('系统（摄像头免罚）')
  })

  it('says how often its rider asked before, and what came of it', () => {
    expect(formerOf({ count: 0, passed: 0, timedOut: 0 })).toBe('此前没有申请')
    expect(formerOf({ count: 3, passed: 2, timedOut: 0 })).toBe('此前 3 次，通过 2 次')
    expect(formerOf({ count: 3, passed: 2, timedOut: 1 })).toBe('此前 3 次，通过 2 次（其中超时通过 1 次）')
  })
})

describe('an evidence', () => {
  it('pulls to its side, more the stronger it is, and never beyond the end of its bar', () => {
    const pulls = [-1200, -300, 0, 60, 300, 1200].map((pull) => pullOf({ pull }))
    expect(pulls).toEqual(pulls.toSorted((a, b) => a - b))
    expect(pulls[2]).toBe(0)
    expect(Math.max(...pulls.map(Math.abs))).toBeLessThanOrEqual(1)
  })

  it('is told in metres, far ones in kilometres', () => {
    expect([null, 0, 8.25, 1234].map(metres)).toEqual(['--', '0.0 米', '8.3 米', '1.2 公里'])
  })
})

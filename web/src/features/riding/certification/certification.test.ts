import { describe, expect, it } from 'vitest'
import { lastDayOf, outcomeOf, titleOf } from './certification'

const at = (text: string) => Date.parse(`${text}+08:00`)

describe('the last day that is proposed', () => {
  it('is the end of the school year for students, and a year for others', () => {
    expect(lastDayOf(1, at('2026-07-31T23:59:59'))).toBe('2026-08-31')
    expect(lastDayOf(1, at('2026-08-01T00:00:00'))).toBe('2027-08-31')
    expect(lastDayOf(2, at('2026-11-23T23:59:59'))).toBe('2027-11-23')
  })
})

describe('a case', () => {
  it('is known by its masked name and kind, also when its person is forgotten', () => {
    expect(titleOf({ kind: 1, nameMasked: '张**' })).toBe('张** · 学生')
    expect(titleOf({ kind: 3, nameMasked: '' })).toBe('已注销 · 教师')
  })

  it('waits until somebody decides it or its rider takes it back', () => {
    expect(outcomeOf({ state: 0, reviewer: '', dealAt: null })).toBeNull()
    expect(outcomeOf({ state: 2, reviewer: '李审', dealAt: 7 })).toEqual({ act: '驳回', by: '李审', at_ms: 7 })
    expect(outcomeOf({ state: 3, reviewer: '', dealAt: 7 })).toEqual({ act: '取消', by: '申请人', at_ms: 7 })
  })
})

import { afterEach, describe, expect, it } from 'vitest'
import { keepFilters, readFilters } from './remembered'
import { followerOf, overtakenText, spanOf, waitingOf, withPhrase } from './review'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

afterEach(() => localStorage.clear())

describe('how long a case waits', () => {
  it('is said in the words of its size', () => {
    const spans = [0, 59_999, MINUTE_MS, 59 * MINUTE_MS, HOUR_MS, 25 * HOUR_MS, 49 * HOUR_MS]
    expect(spans.map(spanOf)).toEqual(['刚刚', '刚刚', '1 分钟', '59 分钟', '1 小时 0 分', '1 天 1 小时', '2 天 1 小时'])
  })

  it('turns to a warning at half of its limit, and to an alarm at its end', () => {
    const tones = [0, 29, 30, 59, 60, 90].map((minutes) => waitingOf(0, minutes * MINUTE_MS, HOUR_MS).tone)
    expect(tones).toEqual(['calm', 'calm', 'near', 'near', 'over', 'over'])
    expect(waitingOf(0, 90 * MINUTE_MS, HOUR_MS).text).toBe('1 小时 30 分 · 超时')
    expect(waitingOf(0, 90 * MINUTE_MS)).toEqual({ text: '1 小时 30 分', tone: 'calm' })
    expect(waitingOf(5, 0, HOUR_MS).text).toBe('刚刚')
  })
})

describe('the case that follows', () => {
  it('is the next one, at the end the one before, and the first where the open one is gone', () => {
    const keys = ['1', '2', '3']
    expect(['1', '2', '3', '9'].map((open) => followerOf(keys, open))).toEqual(['2', '3', '2', '1'])
    expect([followerOf(['1'], '1'), followerOf([], '1')]).toEqual([null, null])
  })
})

describe('what another decided first', () => {
  it('is told with who and when', () => {
    const at_ms = Date.parse('2026-11-23T14:02:30+08:00')
    expect(overtakenText('张**', { act: '通过', by: '李审', at_ms })).toBe('「张**」已由 李审 于 14:02 通过，未重复处理')
    expect(overtakenText('张**', { act: '取消', by: '', at_ms: null })).toBe('「张**」已由 其他人 取消，未重复处理')
  })
})

describe('a phrase', () => {
  it('is added behind what was said, taken away again, and left out where it does not fit', () => {
    expect(withPhrase('', '照片模糊', 20)).toBe('照片模糊')
    expect(withPhrase('请补拍', '照片模糊', 20)).toBe('请补拍；照片模糊')
    expect(withPhrase('请补拍；照片模糊', '照片模糊', 20)).toBe('请补拍')
    expect(withPhrase('请补拍', '照片模糊', 5)).toBe('请补拍')
  })
})

describe('filters', () => {
  it('are remembered by their names alone, and nonsense is not', () => {
    keepFilters('x', { state: '1', keyword: '', other: '7' })
    expect(readFilters('x', ['state', 'keyword'])).toEqual({ state: '1' })
    localStorage.setItem('ebike_ops__review_filters_x', '[1')
    expect(readFilters('x', ['state'])).toEqual({})
    localStorage.setItem('ebike_ops__review_filters_x', '{"state":3}')
    expect(readFilters('x', ['state'])).toEqual({})
  })
})

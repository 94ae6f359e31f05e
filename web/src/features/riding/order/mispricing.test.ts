import { describe, expect, it } from 'vitest'
import { choiceText, consequenceOf, countedUntil, DAYS_MAX, type Mispricing, progressText, unrefundable, versionText, wrongText } from './mispricing'

const DAY_MS = 86_400_000
const NOW_MS = Date.UTC(2026, 10, 25)

const found: Mispricing = {
  id: '1',
  agentId: '2',
  opAreaId: '3',
  areaName: '湖滨',
  subject: 2,
  fenceId: '4',
  name: '东门',
  wrongVersion: 2,
  insteadVersion: null,
  fromAt: NOW_MS - DAY_MS,
  untilAt: NOW_MS,
  state: 0,
  examined: 40,
  isCapped: false,
  orders: 5,
  riders: 4,
  backCents: 1_234_56,
  lowerCents: 700,
  higherOrders: 0,
  higherCents: 0,
  givenOrders: 0,
  overtakenOrders: 0,
  failedOrders: 0,
  givenCents: 0,
  loweredCents: 0,
  isToWallet: false,
  reason: '',
  foundAt: NOW_MS,
  finder: '王芳',
  begunAt: null,
  beginner: null,
  endedAt: null,
  version: 1,
}

describe('a case', () => {
  it('says what was wrong and what should have counted', () => {
    expect(wrongText(found)).toBe('围栏版本“东门” 第 2 版 → 不设围栏')
    expect(wrongText({ subject: 1, name: '', wrongVersion: 3, insteadVersion: 0 })).toBe('计费版本 第 3 版 → 系统默认')
    expect(versionText(3, 1)).toBe('第 1 版')
    expect(choiceText(2, { version: 2, note: '东门', counted: [] })).toBe('第 2 版 · 东门')
    expect(choiceText(1, { version: 0, note: '系统默认', counted: [] })).toBe('系统默认')
  })

  it('says what giving all back does, and how far that is', () => {
    expect(consequenceOf(found)).toBe('共 5 个订单、4 位用户：退还已付 1,234.56 元，减免未付 7.00 元。')
    expect(progressText(found)).toBe('')
    expect(progressText({ ...found, state: 1, givenOrders: 2, overtakenOrders: 1 })).toBe('3 / 5 · 已变化 1')
    expect(progressText({ ...found, state: 2, givenOrders: 4, failedOrders: 1 })).toBe('5 / 5 · 失败 1')
  })

  it('is given back once, and not when nothing is due', () => {
    expect(unrefundable(found)).toBeUndefined()
    expect(unrefundable({ state: 0, orders: 0 })).toBe('没有需要退还的订单')
    expect(unrefundable({ state: 2, orders: 5 })).toContain('已完成')
  })
})

describe('the time that is looked at', () => {
  it('is when the version counted, cut to the latest days', () => {
    expect(countedUntil({ counted: [[NOW_MS - DAY_MS, null]] }, NOW_MS)).toEqual([NOW_MS - DAY_MS, NOW_MS])
    expect(countedUntil({ counted: [[NOW_MS - 3 * DAY_MS, NOW_MS - 2 * DAY_MS], [NOW_MS - DAY_MS, NOW_MS + DAY_MS]] }, NOW_MS)).toEqual([NOW_MS - 3 * DAY_MS, NOW_MS])
    expect(countedUntil({ counted: [[null, NOW_MS]] }, NOW_MS)).toEqual([NOW_MS - DAYS_MAX * DAY_MS + 1000, NOW_MS])
    expect(countedUntil({ counted: [[NOW_MS + DAY_MS, null]] }, NOW_MS)).toBeNull()
    expect(countedUntil({ counted: [] }, NOW_MS)).toBeNull()
  })
})

import { describe, expect, it } from 'vitest'
import { benefitText, type Card, DISCOUNT, DISTANCE, fieldsOf, MEMBERSHIP, priceOf, saidOf, stageOf, TIME, TIMES, timesText, UNLIMITED } from './card'

const card = {
  ...saidOf({ ...fieldsOf(undefined, TIMES), name: '次卡', price: '9.9', originPrice: '', sale: ['2026-11-01', '2026-11-30'] }),
  id: '1',
  agentId: '2',
  number: 1,
  countsNumber: 1,
  state: 1,
  version: 3,
} as unknown as Card

describe('a card as its form has it', () => {
  it('comes back as it was', () => {
    const said = saidOf(fieldsOf(card, TIMES))
    expect(said).toMatchObject({ priceCents: 990, originPriceCents: 990, times: 10, isTotalTimes: true, billing: null, stock: null })
    expect(said.sellFrom).toBe(Date.parse('2026-11-01T00:00:00+08:00'))
    expect(said.sellUntil).toBe(Date.parse('2026-12-01T00:00:00+08:00'))
    expect(fieldsOf({ ...card, ...said }, TIMES)).toEqual(fieldsOf(card, TIMES))
  })

  it('says what its kind knows alone', () => {
    const said = (kind: Card['kind']) => saidOf({ ...fieldsOf(undefined, kind), name: '卡', price: '1' })
    expect(said(TIME)).toMatchObject({ freeTimeS: 1800, freeDistanceM: 0, freeMoneyCents: 0, times: 1, isTotalTimes: false })
    expect(said(DISTANCE)).toMatchObject({ freeTimeS: 0, freeDistanceM: 3000 })
    expect(said(MEMBERSHIP)).toMatchObject({ freeTimeS: 0, times: UNLIMITED, billing: null })
    expect(said(DISCOUNT).billing).toMatchObject({ baseTimeCents: 100, cycleS: 600 })
  })

  it('a price is neither nothing nor too much', () => {
    expect([priceOf('0'), priceOf('0.01'), priceOf('5000'), priceOf('5000.01'), priceOf('1.234'), priceOf('')]).toEqual([null, 1, 500_000, null, null, null])
  })
})

describe('a card in words', () => {
  it('says what it takes off, and how often', () => {
    expect(benefitText({ kind: TIME, freeTimeS: 1800 })).toBe('每次免 30 分钟')
    expect(benefitText({ kind: DISTANCE, freeDistanceM: 2500 })).toBe('每次免 2.5 公里')
    expect(timesText({ kind: TIMES, times: 10, isTotalTimes: true })).toBe('共 10 次')
    expect(timesText({ kind: TIME, times: 2, isTotalTimes: false })).toBe('每天 2 次')
    expect(timesText({ kind: MEMBERSHIP, times: UNLIMITED })).toBe('不限次数')
  })

  it('says where it stands', () => {
    const label = (part: Partial<Pick<Card, 'number' | 'state' | 'countsNumber'>>) => stageOf({ number: 1, state: 1, countsNumber: 1, ...part }).label
    expect([label({}), label({ number: 0 }), label({ state: 0 }), label({ countsNumber: null }), label({ number: 2 })]).toEqual(['在售', '草稿', '停用', '待生效', '待换版'])
  })
})

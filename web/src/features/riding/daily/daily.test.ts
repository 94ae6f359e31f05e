import { expect, it } from 'vitest'
import { accountsOf, areaEntriesLink, areaText, type DailySums, entriesLink } from './daily'
import { dailyList, dailyStatistics } from './description'

const NOTHING: DailySums = {
  orders: 0,
  shortOrders: 0,
  freeOrders: 0,
  cardOrders: 0,
  discountOrders: 0,
  usualCents: 0,
  ridingS: 0,
  distanceM: 0,
  fareCents: 0,
  loweredCents: 0,
  loweredPastCents: 0,
  paidThirdCents: 0,
  paidRechargeCents: 0,
  paidPresentCents: 0,
  arrearsThirdCents: 0,
  arrearsRechargeCents: 0,
  arrearsPresentCents: 0,
  writtenOffCents: 0,
  topUpCents: 0,
  cardThirdCents: 0,
  cardRechargeCents: 0,
  rideRefundThirdCents: 0,
  rideRefundWalletCents: 0,
  cardRefundThirdCents: 0,
  cardRefundWalletCents: 0,
  balanceBackCents: 0,
  refundFailedCents: 0,
  otherCents: 0,
  revenueCents: 0,
  depositPaidCents: 0,
  depositBackCents: 0,
  giftCents: 0,
  adjustmentCents: 0,
  lateEntries: 0,
  lateDueCents: 0,
  lateRevenueCents: 0,
  dueCents: 0,
  paidCents: 0,
  owingCents: 0,
  arrearsCents: 0,
  receivedCents: 0,
  receiptsCents: 0,
  refundsCents: 0,
  plainOrders: 0,
  owingRate: null,
  refundRate: null,
  reliefRate: null,
  eachCents: null,
  eachS: null,
  eachM: null,
  bikes: 0,
  ordersPerBike: null,
  duePerBike: null,
}

it('each sum of a day is its parts, to the cent', () => {
  const day = {
    ...NOTHING,
    fareCents: 1_000,
    loweredCents: 100,
    dueCents: 900,
    paidThirdCents: 300,
    paidRechargeCents: 200,
    paidPresentCents: 50,
    paidCents: 550,
    owingCents: 350,
    arrearsThirdCents: 70,
    arrearsRechargeCents: 7,
    arrearsCents: 77,
    topUpCents: 5_000,
    cardThirdCents: 2_000,
    rideRefundThirdCents: 30,
    cardRefundThirdCents: 800,
    balanceBackCents: 400,
    refundFailedCents: 400,
    otherCents: 9,
    revenueCents: 300 + 70 + 5_000 + 2_000 - 30 - 800 - 400 + 400 + 9,
  }
  for (const { title, cents, parts } of accountsOf(day)) {
    expect(parts.reduce((sum, part) => sum + part.cents, 0), title).toBe(cents)
  }
})

it('ROUTE-078 every figure says where it comes from', () => {
  const { cards, trend, rankings, shares } = dailyStatistics
  for (const { title, formula } of [...cards, ...trend.lines, ...rankings, ...shares]) expect(formula.length, title).toBeGreaterThan(8)
  expect(new Set(cards.map(({ key }) => key)).size).toBe(cards.length)
})

it('agents are asked for by those alone who may list them', () => {
  const labels = (agents: Parameters<typeof dailyList>[1]) => dailyList([], agents).filters.map(({ label }) => label)
  expect(labels(null)).toEqual(['日期', '服务区'])
  expect(labels([])).toEqual(['日期', '代理', '服务区'])
})

it('the entries of a day are those of whom the day was told', () => {
  expect(entriesLink('2026-11-25', {})).toBe('/report/financial-statistics?view=entries&startTime=2026-11-25&endTime=2026-11-25')
  expect(entriesLink('2026-11-25', { opAreaIds: '7', agentId: '3' })).toContain('&agentId=3&opAreaIds=7')
  expect(areaEntriesLink('2026-11-25', { opAreaId: '7', agentId: '3' })).toMatch(/&opAreaIds=7$/)
  expect(areaEntriesLink('2026-11-25', { opAreaId: null, agentId: '3' })).toMatch(/&agentId=3&withoutArea=true$/)
  expect(areaText({ opAreaId: null, areaName: null, company: '甲公司' })).toBe('不分服务区（甲公司）')
})

import { describe, expect, it } from 'vitest'
import { agoText, type AnomalySummary, closedByText, emptyText, limitsText, lockText, type OrderAnomaly, savedBy, sumsText, unendable } from './anomaly'

const MINUTE_MS = 60_000
const NOW_MS = Date.UTC(2026, 10, 24, 0, 0, 0)

const row: OrderAnomaly = {
  orderId: '9',
  userId: '7',
  phone: '136****0000',
  carId: 'G00001',
  agentId: '2',
  opAreaId: '3',
  areaName: 'G 区',
  state: 0,
  kind: 1,
  doubt: null,
  sinceAt: NOW_MS - 30 * MINUTE_MS,
  listedAt: NOW_MS,
  startAt: NOW_MS - 40 * MINUTE_MS,
  reportAt: NOW_MS,
  locked: true,
  lockOpenAt: NOW_MS - 31 * MINUTE_MS,
  lockClosedAt: NOW_MS - 30 * MINUTE_MS,
  stoodSince: null,
  fixAt: NOW_MS - 90_000,
  lat: null,
  lng: null,
  endAt: NOW_MS - 30 * MINUTE_MS,
  wouldCents: 900,
  endCents: 300,
  savedCents: 600,
  rideMaxMs: 43_200_000,
  isBySystem: null,
  who: null,
  reason: null,
}

const summary: AnomalySummary = {
  open: 2,
  closed: 5,
  closedBySystem: 3,
  savedCents: 123_456,
  lookedAt: NOW_MS,
  limits: { lockMs: 180_000, silentMs: 1_200_000, stillMs: 1_800_000, rideMs: 43_200_000 },
  areas: [],
  days: [],
}

describe('a strange order', () => {
  it('tells what its lock said', () => {
    expect(lockText(row)).toBe('已关 · 2026-11-24 07:30:00')
    expect(lockText({ ...row, locked: false })).toBe('已开')
    expect(lockText({ ...row, reportAt: null })).toBe('未上报')
  })

  it('tells how old a fix is, and not of the future', () => {
    expect(agoText(row.fixAt, NOW_MS)).toBe('1 分 30 秒前')
    expect(agoText(NOW_MS + 5000, NOW_MS)).toBe('0 秒前')
    expect(agoText(null, NOW_MS)).toBe('')
  })

  it('is ended at its true time only while it waits and when that is known', () => {
    expect(unendable([row])).toBeUndefined()
    expect(unendable([row, { ...row, state: 1 }])).toContain('已经结束')
    expect(unendable([row, { ...row, endAt: null }])).toContain('推断不出')
    expect(unendable(Array.from({ length: 201 }, () => row))).toContain('最多结束 200')
  })

  it('says who ended it and what that took off', () => {
    expect(closedByText(row)).toBe('')
    expect(closedByText({ isBySystem: true, who: null })).toBe('系统自动')
    expect(closedByText({ isBySystem: false, who: null })).toBe('人工')
    expect(closedByText({ isBySystem: false, who: '王芳' })).toBe('王芳')
    expect(savedBy([row, { ...row, savedCents: null }, row])).toBe(1200)
  })
})

describe('an empty list', () => {
  it('says what is looked at, and when that was last', () => {
    expect(emptyText(summary)).toContain('锁已关 3 分钟')
    expect(emptyText(summary)).toContain('上次核对 2026-11-24 08:00:00')
    expect(emptyText({ ...summary, lookedAt: null })).toContain('尚未核对')
    expect(limitsText(summary)).toMatch(/骑行超过 12 小时$/)
    const areas = [{ opAreaId: '3', areaName: '湖滨', rideMs: 5_400_000 }]
    expect(limitsText({ ...summary, areas })).toContain('骑行超过 12 小时（湖滨 1 小时 30 分钟）')
    expect(sumsText(summary)).toContain('5 单（系统自动 3 单），为用户减免 1,234.56 元')
  })
})

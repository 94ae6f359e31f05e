import { describe, expect, it } from 'vitest'

import type { BikeCommand } from '../../info/records'
import { rideText, stepsOf } from './words'

const told = (over: Partial<BikeCommand>): BikeCommand => ({
  id: '1', kind: 2, state: 2, late: false, resultCode: 0, reason: '', by: '李工', firmware: null, requestedAt: 1_000, sentAt: 1_100, ackAt: 2_300, waitUntil: null, ...over,
})
const texts = (over: Partial<BikeCommand>) => stepsOf(told(over)).map(({ text }) => text)

describe('the steps of a command', () => {
  it('lead from being asked for to its answer', () => {
    expect(texts({})).toEqual(['下发', '发出', '应答：成功，用时 1.2 秒'])
    expect(texts({ state: 1, ackAt: null, resultCode: null })).toEqual(['下发', '发出', '等待应答'])
    expect(texts({ state: 3, resultCode: 132 })).toEqual(['下发', '发出', '应答：车辆正在行驶或骑行，拒绝关锁，用时 1.2 秒'])
  })

  it('tell of an answer that came too late, and of none', () => {
    expect(texts({ state: 4, ackAt: null, resultCode: null })).toEqual(['下发', '发出', '15 秒内没有应答'])
    expect(texts({ state: 4, late: true, ackAt: 19_100 })).toEqual(['下发', '发出', '15 秒内没有应答', '迟到应答：成功，用时 18 秒'])
  })

  it('tell of one that waits for its bike, left, waited in vain or was taken back', () => {
    const waitUntil = Date.UTC(2026, 10, 25, 10, 5)
    const waits = { sentAt: null, ackAt: null, resultCode: null, waitUntil }
    expect(texts({ ...waits, state: 0 })).toEqual(['下发', '排队，至 11-25 18:05'])
    expect(texts({ ...waits, state: 4 })).toEqual(['下发', '排队时间内车辆没有上报'])
    expect(texts({ ...waits, state: 5 })).toEqual(['下发', '已取消'])
    expect(texts({ waitUntil })).toEqual(['下发', '车辆上线，发出', '应答：成功，用时 1.2 秒'])
  })
})

describe('a ride', () => {
  it('is told by how long and how far it was, if it was one', () => {
    expect(rideText({ startAt: 1, ridingS: 750, distanceM: 2_340, areaName: '北区' })).toBe('北区 · 13 分钟，2.3 公里')
    expect(rideText({ startAt: null, ridingS: 0, distanceM: 0, areaName: '北区' })).toBe('北区 · 没有骑行')
  })
})

import { describe, expect, it } from 'vitest'

import { shown } from '@/map/vehicles/fleetMath'

import { ackLine, kindWord, type SentCommand } from './commands'
import { freePart, panOffset } from './freePart'
import { bitOf, countOf, filterFormulas, filterStyles, readFilter, toggled, writeFilter } from './mapFilter'
import { newer } from './newer'
import { ageWord, distance_m, positionError_m, type Vehicle, type VehicleCommand } from './vehicle'

const sent: SentCommand = { carId: 'A1', commandId: 'c1', name: 'lock', sentAt: 10_000, waits: false }
const told = (over: Partial<VehicleCommand>): VehicleCommand => ({
  id: 'c1', kind: 2, state: 1, resultCode: null, reason: '', by: '', sentAt: 10_000, ackAt: null, waitUntil: null, ...over,
})

describe('the acknowledgement line', () => {
  it('counts the seconds while the bike has not answered', () => {
    expect(ackLine(sent, null, 12_300)).toMatchObject({ tone: 'waiting', what: '关锁', outcome: '已发', seconds: '2.3 秒' })
  })
  it('does not take the outcome of an earlier command for this one', () => {
    expect(ackLine(sent, told({ id: 'c0', state: 2, ackAt: 9_000 }), 11_000)).toMatchObject({ tone: 'waiting', outcome: '已发' })
  })
  it('says success with the time it took', () => {
    expect(ackLine(sent, told({ state: 2, ackAt: 11_200 }), 60_000)).toMatchObject({ tone: 'good', outcome: '成功', seconds: '1.2 秒' })
  })
  it('says why the bike refused', () => {
    expect(ackLine(sent, told({ state: 3, resultCode: 132, ackAt: 11_000 }), 12_000)).toMatchObject({
      tone: 'bad',
      outcome: '失败',
      detail: '车辆正在行驶或骑行，拒绝关锁',
    })
  })
  it('says that the bike did not answer in time', () => {
    expect(ackLine(sent, told({ state: 4 }), 40_000)).toMatchObject({ tone: 'bad', outcome: '超时' })
  })
  it('does not count for ever when no outcome arrives', () => {
    expect(ackLine(sent, null, 40_000)).toMatchObject({ tone: 'late', outcome: '未收到结果' })
  })
  it('says that a command waits for its bike, and that it waited in vain', () => {
    const waitUntil = Date.UTC(2026, 10, 25, 10, 5)
    expect(ackLine({ ...sent, waits: true }, null, 99_000)).toMatchObject({ tone: 'late', outcome: '排队中' })
    expect(ackLine(sent, told({ state: 0, sentAt: null, waitUntil, by: '李工' }), 99_000)).toMatchObject({ outcome: '排队中', detail: '车辆上报后下发，至 11-25 18:05，由 李工' })
    expect(ackLine(sent, told({ state: 4, sentAt: null, waitUntil }), waitUntil)).toMatchObject({ tone: 'bad', detail: '排队时间内车辆没有上报' })
    expect(ackLine(sent, told({ state: 5, sentAt: null, waitUntil }), 99_000)).toMatchObject({ outcome: '已取消' })
  })
  it('shows the last command of others when none was sent here', () => {
    expect(ackLine(null, told({ id: 'x', kind: 10, state: 2, by: '李工', ackAt: 10_400 }), 99_000)).toMatchObject({
      what: '寻车铃',
      detail: '由 李工',
    })
    expect(ackLine(null, null, 0)).toBeNull()
  })
  it('has a word for every kind, by name and by number', () => {
    expect([kindWord('unlock'), kindWord(1), kindWord('powerOn'), kindWord(16)]).toEqual(['开锁', '开锁', '电门开', '固件'])
  })
})

describe('the filter in the address', () => {
  it('survives a reload', () => {
    const mask = bitOf('low_battery') | bitOf('alarm')
    expect(writeFilter(mask)).toBe('low_battery,alarm')
    expect(readFilter(writeFilter(mask))).toBe(mask)
  })
  it('passes over names it does not know', () => {
    expect(readFilter('dragon,riding')).toBe(bitOf('riding'))
    expect(readFilter(null)).toBe(0)
  })
  it('with everything chosen is no filter', () => {
    let mask = 0
    for (const key of ['rentable', 'riding', 'paused', 'field_work', 'low_battery', 'out_of_service', 'not_rentable', 'silent'] as const) {
      mask = toggled(mask, key)
    }
    expect(mask).toBe(0xff)
    expect(toggled(mask, 'alarm')).toBe(0)
  })
})

describe('a figure of the fleet', () => {
  const totals = { states: [700, 200, 10, 5, 38, 3, 40, 4, 0], shelved: 1000, rentable: 700, online: 990, alarm: 21 }
  it('is the same under the same word, and what a click on the word shows', () => {
    const everyState = totals.states.flatMap((count, state) => Array.from({ length: count }, () => state))
    const flags = everyState.map((state, at) => (at < totals.alarm ? state | 0x10 : state))
    for (const style of filterStyles) {
      expect(countOf(style.key, totals), style.label).toBe(flags.filter((one) => shown(one, bitOf(style.key))).length)
    }
  })
  it('says what it counts', () => {
    for (const style of filterStyles) expect(filterFormulas[style.key], style.label).toMatch(/车辆/)
    expect(filterFormulas.low_battery).toContain('不重复计入低电')
  })
})

describe('the chosen bike', () => {
  const size = { x: 1110, y: 680 }
  const rail = { left: 16, top: 16, right: 248, bottom: 632 }
  const strip = { left: 264, top: 16, right: 680, bottom: 120 }
  const drawer = { left: 694, top: 16, right: 1094, bottom: 664 }
  const free = freePart(size, { left: rail, top: strip, drawer })
  it('is left where it is when nothing covers it', () => {
    expect(panOffset({ x: 450, y: 300 }, free)).toEqual([0, 0])
  })
  it('comes out from under drawer, rail and strip, with room for its ring and number', () => {
    const moved = ({ x, y }: { x: number; y: number }) => {
      const [dx, dy] = panOffset({ x, y }, free)
      return [x - dx, y - dy]
    }
    expect(moved({ x: 900, y: 300 })).toEqual([694 - 28, 300])
    expect(moved({ x: 100, y: 670 })).toEqual([248 + 28, 680 - 28])
    expect(moved({ x: 450, y: 60 })).toEqual([450, 120 + 56])
  })
  it('comes out above a drawer that is a sheet at the foot', () => {
    const sheet = freePart({ x: 390, y: 760 }, { left: null, top: { left: 8, top: 56, right: 382, bottom: 110 }, drawer: { left: 0, top: 244, right: 390, bottom: 760 } })
    expect(sheet).toEqual({ left: 0, top: 110, right: 390, bottom: 244 })
    expect(panOffset({ x: 200, y: 700 }, sheet)).toEqual([0, 700 - (244 - 28)])
  })
  it('comes to the middle of what is free when there is no room to spare', () => {
    expect(panOffset({ x: 10, y: 400 }, { left: 100, top: 100, right: 140, bottom: 700 })).toEqual([10 - 120, 0])
  })
})

describe('what is known of a bike', () => {
  const bike = (version: number, over: Partial<Vehicle> = {}) => ({ carId: 'A1', version, reportAt: version, command: null, ...over }) as Vehicle
  it('is the newer of the answer and the push', () => {
    expect(newer(bike(3), bike(4))?.version).toBe(4)
    expect(newer(bike(5), bike(4))?.version).toBe(5)
    expect(newer(undefined, bike(4))?.version).toBe(4)
    expect(newer(bike(5), null)?.version).toBe(5)
  })
  it('is never that of another bike', () => {
    expect(newer(bike(1), bike(9, { carId: 'B2' }))?.carId).toBe('A1')
  })
  it('takes the outcome of a command although the report is older', () => {
    const asked = bike(5, { command: told({ state: 1 }) })
    const pushed = bike(5, { reportAt: 1, command: told({ state: 2 }) })
    expect(newer(asked, pushed)?.command?.state).toBe(2)
  })
})

describe('words', () => {
  it('tell ages as people do', () => {
    expect([500, 12_000, 200_000, 7_300_000, 200_000_000].map(ageWord)).toEqual(['刚刚', '12 秒前', '3 分钟前', '2 小时前', '2 天前'])
  })
  it('tell how far a position may be off', () => {
    expect([positionError_m(0.9), positionError_m(2.4), positionError_m(null), positionError_m(0)]).toEqual([5, 12, null, null])
  })
  it('tell distances along the globe', () => {
    expect(distance_m({ lat: 30, lng: 120 }, { lat: 30.001, lng: 120 })).toBeCloseTo(111.2, 1)
  })
})

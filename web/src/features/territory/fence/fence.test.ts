import { describe, expect, it } from 'vitest'
import { saidOf } from '@/kit/versions/versions'
import { formatArea, stageOf } from './fence'
import { boundsOfRing, circleCorners, converted, geometryOf, read, ringOf, written } from './geometry'
import { daysOf, differences, hoursText, particulars, weekdaysOf, weekdaysText } from './words'

const NOW = 1_790_000_000_000
const square = { type: 'Polygon' as const, coordinates: [[[118, 24], [118.001, 24], [118.001, 24.001], [118, 24]]] }

describe('where a fence stands', () => {
  const fence = { state: 1, dataVersion: 2, countsVersion: 2, fromAt: NOW - 1, untilAt: null }
  it.each([
    ['草稿', { ...fence, dataVersion: 0, countsVersion: null, fromAt: null }],
    ['停用', { ...fence, state: 0, countsVersion: null }],
    ['待生效', { ...fence, countsVersion: null, fromAt: NOW + 1 }],
    ['待换版', { ...fence, countsVersion: 1, fromAt: NOW + 1 }],
    ['已失效', { ...fence, countsVersion: null, untilAt: NOW }],
    ['生效中', { ...fence, untilAt: NOW + 1 }],
    // By the server's word, whatever the clock here says.
    ['生效中', { ...fence, fromAt: NOW + 1 }],
  ])('%s', (label, one) => {
    expect(stageOf(one, NOW).label).toBe(label)
  })
})

describe('what a fence says, in words', () => {
  const parking = { capacity: 20, minKeep: 0, bufferM: 10, fullIsClosed: false, proofs: [1], direction: null, hours: null, difficulty: 1, rfidCodes: [] }
  const before = { name: '东门', geometry: square, datum: 'wgs84', areaM2: 50, parking, ban: null, tags: [], remark: '' }
  const ban = { penaltyCents: null, weekdays: 0b111_1111, hours: null }
  const zone = { ...before, parking: null, ban }

  it('what differs between two versions is said field by field', () => {
    expect(differences(before, before)).toEqual([])
    const after = { ...before, name: '西门', areaM2: 80.25, geometry: { type: 'Point' as const, coordinates: [118, 24], radiusM: 5 }, parking: { ...parking, capacity: 30, proofs: [] } }
    expect(differences(before, after).map(saidOf)).toEqual(['名称 东门 → 西门', '边界 50.0 m² → 80.3 m²', '停放上限 20 → 30', '还车凭证 蓝牙道钉 → （空）'])
    expect(formatArea(2_500_000)).toBe('2.50 km²')
  })

  it('no field of a parking place changes unsaid', () => {
    const after = {
      ...before,
      datum: 'gcj02',
      parking: {
        capacity: 21,
        minKeep: 2,
        bufferM: 12.5,
        fullIsClosed: true,
        proofs: [1, 3],
        direction: { degrees: 90, toleranceDegrees: 20 },
        hours: { fromMin: 1320, untilMin: 360 },
        difficulty: 1.5,
        rfidCodes: ['A-01', 'A-02'],
      },
      tags: ['地铁口'],
      remark: '夜间开放',
    }
    const said = [
      ['坐标系', 'WGS-84', 'GCJ-02'],
      ['停放上限', '20', '21'],
      ['保有下限', '0', '2'],
      ['缓冲距离', '10 米', '12.5 米'],
      ['满桩禁停', '否', '是'],
      ['还车凭证', '蓝牙道钉', '蓝牙道钉、定向停车'],
      ['停车方向', '（空）', '90° ±20°'],
      ['开放时段', '全天', '22:00–次日 06:00'],
      ['难度系数', '1', '1.5'],
      ['射频编号', '（空）', 'A-01、A-02'],
      ['标签', '（空）', '地铁口'],
      ['备注', '（空）', '夜间开放'],
    ]
    expect(differences(before, after).map(saidOf)).toEqual(said.map(([label, from, to]) => `${label} ${from} → ${to}`))
    expect(particulars(after).map(({ name, value }) => [name, value])).toEqual(said.map(([label, , to]) => [label, to]))
    expect(particulars(before).map(({ name, value }) => [name, value])).toEqual([
      ['停放上限', '20'],
      ['还车凭证', '蓝牙道钉'],
    ])
  })

  it('nor one of a zone', () => {
    const after = { ...zone, ban: { penaltyCents: 2050, weekdays: 0b001_1111, hours: { fromMin: 420, untilMin: 540 } } }
    expect(differences(zone, after).map(saidOf)).toEqual(['违停费用 按计费配置 → 20.50 元', '生效星期 每天 → 周一、周二、周三、周四、周五', '生效时段 全天 → 07:00–09:00'])
    expect(particulars(zone)).toEqual([{ name: '违停费用', value: '按计费配置', whole: false }])
  })

  it('days are bits from Monday on, and a day ends at 24:00', () => {
    expect(daysOf(0b100_0001)).toEqual([0, 6])
    expect(weekdaysOf([6, 0])).toBe(0b100_0001)
    expect(weekdaysText(0b100_0001)).toBe('周一、周日')
    expect(hoursText({ fromMin: 0, untilMin: 1440 })).toBe('00:00–24:00')
  })
})

describe('edges as numbers', () => {
  it('what is written is read again', () => {
    expect(read(written(square))).toEqual(square)
    const circle = { type: 'Point' as const, coordinates: [118.1, 24.5], radiusM: 30 }
    expect(read(written(circle))).toEqual(circle)
    expect(written(null)).toBe('')
  })

  it('what is no edge is none', () => {
    for (const text of ['', '118, 24', '118, 24\n118.1, 24', '118, 24\nabc, 1\n1, 2', '118, 24, 3\n1, 2, 3\n1, 2, 3']) expect(read(text)).toBeNull()
    expect(read('118，24；118.001，24；118.001，24.001')).toEqual({ ...square, coordinates: [[[118, 24], [118.001, 24], [118.001, 24.001], [118, 24]]] })
  })

  it('an edge goes into another datum and back', () => {
    const circle = { type: 'Point' as const, coordinates: [118.0894, 24.4798], radiusM: 30 }
    const shown = converted(circle, 'gcj02', 'out')
    expect(written(shown)).toBe('118.094377084, 24.477153232, 30')
    expect(ringOf(converted(shown, 'gcj02', 'in'))).toEqual(ringOf(circle))
    expect(converted(square, 'gcj02', 'out').coordinates).not.toEqual(square.coordinates)
    expect(converted(square, 'wgs84', 'out')).toEqual(square)
  })

  it('a circle is drawn as wide as it is, and read back from what was drawn', () => {
    const ring = circleCorners([118.1, 24.5], 1113.2)
    const [[south, west], [north, east]] = boundsOfRing(ring)
    expect(north - south).toBeCloseTo(0.02, 5)
    expect(east - west).toBeCloseTo(0.02 / Math.cos((24.5 * Math.PI) / 180), 5)
    expect(geometryOf(ring, 1.1132)).toEqual({ type: 'Point', coordinates: [118.1, 24.5], radiusM: 1113.2 })
    expect(ringOf({ type: 'Polygon', coordinates: [[[118.12345678912, 24]]] })).toEqual([[118.123456789, 24]])
  })
})

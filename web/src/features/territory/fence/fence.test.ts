import { describe, expect, it } from 'vitest'
import { differences, formatArea, stageOf, versionStage } from './fence'
import { boundsOfRing, circleCorners, geometryOf, read, ringOf, written } from './geometry'

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

  it('a version counts while one of its times lasts', () => {
    const version = { withdrawn: false, fromAt: NOW - 10, counted: [[NOW - 10, NOW - 5], [NOW, null]] }
    expect(versionStage(version, NOW).label).toBe('生效中')
    expect(versionStage(version, NOW - 3).label).toBe('已失效')
    expect(versionStage({ ...version, counted: [], fromAt: NOW + 1 }, NOW).label).toBe('待生效')
    expect(versionStage({ ...version, withdrawn: true }, NOW).label).toBe('已撤回')
  })
})

it('what differs between two versions is said field by field', () => {
  const parking = { capacity: 20, minKeep: 0, bufferM: 10, fullIsClosed: false, proofs: [1], direction: null, hours: null, difficulty: 1, rfidCodes: [] }
  const before = { name: '东门', geometry: square, areaM2: 50, parking, ban: null, tags: [], remark: '' }
  expect(differences(before, before)).toEqual([])
  const after = { ...before, name: '西门', areaM2: 80.25, geometry: { type: 'Point' as const, coordinates: [118, 24], radiusM: 5 }, parking: { ...parking, capacity: 30, proofs: [] } }
  expect(differences(before, after)).toEqual(['名称 东门 → 西门', '边界 50.0 m² → 80.3 m²', '停放上限 20 → 30', '还车凭证 蓝牙道钉 → （空）'])
  expect(formatArea(2_500_000)).toBe('2.50 km²')
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

  it('a circle is drawn as wide as it is, and read back from what was drawn', () => {
    const ring = circleCorners([118.1, 24.5], 1113.2)
    const [[south, west], [north, east]] = boundsOfRing(ring)
    expect(north - south).toBeCloseTo(0.02, 5)
    expect(east - west).toBeCloseTo(0.02 / Math.cos((24.5 * Math.PI) / 180), 5)
    expect(geometryOf(ring, 1.1132)).toEqual({ type: 'Point', coordinates: [118.1, 24.5], radiusM: 1113.2 })
    expect(ringOf({ type: 'Polygon', coordinates: [[[118.12345678912, 24]]] })).toEqual([[118.123456789, 24]])
  })
})

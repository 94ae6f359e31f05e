import { describe, expect, it } from 'vitest'
import { ACCEPTED, BUILT, evidenceOf, obstacle, PENDING, REJECTED, stationStart, written } from './parkApplication'

const TAKEN_MS = Date.UTC(2026, 10, 21, 4)

describe('what a photo says of itself', () => {
  it('is told with its distance and time, and marked where it was taken somewhere else', () => {
    expect(evidenceOf({ distanceM: 12.4, takenAt: TAKEN_MS })).toEqual({ text: '拍摄于距申请位置 12 米处 · 2026-11-21 12:00:00', far: false })
    expect(evidenceOf({ distanceM: 2_345, takenAt: null })).toEqual({ text: '拍摄于距申请位置 2.3 公里处 · 没有拍摄时间', far: true })
    expect(evidenceOf({ distanceM: null, takenAt: null })).toEqual({ text: '没有拍摄位置 · 没有拍摄时间', far: false })
  })

  it('has its metres rounded', () => {
    expect([0.4, 999, 1_000].map(written)).toEqual(['0 米', '999 米', '1.0 公里'])
  })
})

describe('a decision', () => {
  it('is open as long as the application is', () => {
    const acts = ['accept', 'build', 'reject'] as const
    const open = ([PENDING, ACCEPTED, REJECTED, BUILT] as const).map((state) => acts.filter((act) => obstacle(state, act) === undefined))
    expect(open).toEqual([['accept', 'build', 'reject'], ['build'], [], []])
    expect(obstacle(REJECTED, 'build')).toBe('申请已驳回')
  })
})

describe('the station that is built for an application', () => {
  it('begins as a rectangle of twelve metres by four about the place', () => {
    const start = stationStart({ id: '9', opAreaId: '20', location: '长'.repeat(40), lat: 24.5, lng: 118.1 })
    expect({ ...start, geometry: null }).toEqual({ opAreaId: '20', parkApplicationId: '9', name: '长'.repeat(30), geometry: null })
    if (start.geometry.type !== 'Polygon') throw new Error('a ring')
    const ring = start.geometry.coordinates[0]!
    const [[west, south], [east], , [, north]] = ring as [[number, number], [number, number], number[], [number, number]]
    expect((east - west) * 111_320 * Math.cos((24.5 * Math.PI) / 180)).toBeCloseTo(12, 3)
    expect((north - south) * 111_320).toBeCloseTo(4, 3)
    expect([(west + east) / 2, (south + north) / 2]).toEqual([expect.closeTo(118.1, 8), expect.closeTo(24.5, 8)])
    expect(ring[0]).toEqual(ring.at(-1))
  })
})

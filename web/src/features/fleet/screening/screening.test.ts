import { describe, expect, it } from 'vitest'
import { boxOf } from '../info/BikeMap'
import { contactShares, curvePath, percentOf } from '../devices/devices'
import { spanText } from '@/kit/format'
import { idleSinceText } from './screening'

const HOUR = 3_600_000

describe('how long nobody used a bike', () => {
  it('is said in days and hours, and not at all while somebody does', () => {
    expect(idleSinceText(null, 0)).toBe('')
    expect(idleSinceText(0, 5 * HOUR)).toBe('01-01 08:00，5 小时')
    expect([HOUR - 1, 5 * HOUR, 48 * HOUR, 51 * HOUR].map(spanText)).toEqual(['不足 1 小时', '5 小时', '2 天', '2 天 3 小时'])
  })
})

describe('devices all together', () => {
  it('those off line are neither on line nor silent from the first', () => {
    expect(contactShares({ total: 10, online: 6, never: 1 }).map(({ label, count }) => `${label} ${count}`)).toEqual(['在线 6', '离线 3', '从未上报 1'])
    expect(percentOf(1, 3)).toBe(33)
    expect(percentOf(0, 0)).toBe(0)
  })

  it('a curve spans what was told and leaves out what was not', () => {
    const points = [
      { at: 0, gsm: 10, voltageMv: null },
      { at: 50, gsm: null, voltageMv: 48_000 },
      { at: 100, gsm: 20, voltageMv: null },
    ]
    expect(curvePath(points, ({ gsm }) => gsm)).toEqual({ line: 'M0.0 68.0L432.0 4.0', from: 0, to: 100, least: 10, most: 20 })
    expect(curvePath(points, ({ voltageMv }) => voltageMv), 'one report is no curve').toBeNull()
  })
})

describe('the map of one bike', () => {
  it('looks at all places, or at none', () => {
    expect(boxOf([])).toBeNull()
    expect(boxOf([{ lat: 1, lng: 9 }, { lat: 3, lng: 5 }])).toEqual([
      [1, 5],
      [3, 9],
    ])
  })
})

import { expect, it } from 'vitest'

import { ageText, between, changeText, entryOf, fitStage, freshnessOf, quietDay, rangeText, SHIFT_EVERY_MS, shiftAt } from './stage'

const midnight = Date.UTC(2026, 10, 24, 16) // 25 November in Shanghai

it('fits the whole stage into any box, with bars where its proportions differ', () => {
  expect(fitStage({ width: 1920, height: 1080 })).toEqual({ scale: 1, left: 0, top: 0 })
  expect(fitStage({ width: 3840, height: 2160 })).toEqual({ scale: 2, left: 0, top: 0 })
  expect(fitStage({ width: 1920, height: 2080 })).toEqual({ scale: 1, left: 0, top: 500 })
  expect(fitStage({ width: 2920, height: 1080 })).toEqual({ scale: 1, left: 500, top: 0 })
  expect(fitStage({ width: 0, height: 0 }).scale).toBe(0)
})

it('moves the stage by a few px every few minutes, and comes back', () => {
  const steps = Array.from({ length: 9 }, (_, step) => shiftAt(step * SHIFT_EVERY_MS).join())
  expect(new Set(steps).size).toBe(9)
  expect(shiftAt(9 * SHIFT_EVERY_MS)).toEqual(shiftAt(0))
  expect(shiftAt(SHIFT_EVERY_MS - 1)).toEqual(shiftAt(0))
  expect(steps.join().split(',').every((px) => Math.abs(Number(px)) <= 4)).toBe(true)
})

it('is green under five seconds, amber under a minute and grey after, or as of no time', () => {
  const ages = [0, 4_999, 5_000, 59_999, 60_000].map((age) => freshnessOf(100_000, 100_000 + age))
  expect(ages).toEqual(['fresh', 'fresh', 'aging', 'aging', 'stale'])
  expect(freshnessOf(null, 0)).toBe('stale')
  expect([ageText(null, 0), ageText(1_000, 500), ageText(0, 61_000), ageText(0, 7_300_000)]).toEqual(['尚无数据', '0 秒前', '1 分钟前', '2 小时前'])
})

it('counts a figure from one value to the next and ends on it', () => {
  expect([between(10, 20, 0), between(10, 20, 1), between(10, 20, 2)]).toEqual([10, 20, 20])
  const half = between(10, 20, 0.5)
  expect(half > 15 && half < 20).toBe(true)
})

it('knows the quiet hour of Shanghai by its day', () => {
  const four = midnight + 4 * 3_600_000
  expect(quietDay(four - 1)).toBeNull()
  expect(quietDay(four)).toBe(quietDay(four + 3_599_999))
  expect(quietDay(four + 3_600_000)).toBeNull()
  expect(quietDay(four + 86_400_000)).toBe((quietDay(four) ?? 0) + 1)
})

it('tells one build from another by the script that its page begins with', () => {
  const html = '<head><script type="module" crossorigin src="/assets/index-B4tK_x-9.js"></script></head>'
  expect(entryOf(html)).toBe('/assets/index-B4tK_x-9.js')
  expect(entryOf('<p>502 Bad Gateway</p>')).toBeNull()
})

it('says which time a tile tells of, and how it stands against another', () => {
  expect(rangeText(5, 5)).toBe('此刻')
  expect(rangeText(midnight, midnight + 14.5 * 3_600_000)).toBe('今日 00:00 至 14:30')
  expect(rangeText(midnight - 29 * 86_400_000, midnight + 1)).toBe('10-27 至 11-25')
  expect(changeText(110, 100)).toEqual({ way: 1, text: '+10%' })
  expect(changeText(1, 3)).toEqual({ way: -1, text: '−66.7%' })
  expect(changeText(5, 5)).toEqual({ way: 0, text: '持平' })
  expect(changeText(5, 0)).toBeNull()
})

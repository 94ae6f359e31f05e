import { expect, it } from 'vitest'
import { queryOf } from '@/kit/list/times'
import { stationList, stationStatistics } from './description'
import { idleBands, levels } from './station'

it('ROUTE-035 the list is asked for the last seven days unless it is asked for others', () => {
  const { filters } = stationList([])
  const now = Date.UTC(2026, 10, 23, 7)
  expect(queryOf(filters, {}, now)).toEqual({ startTime: '2026-11-17 00:00:00' })
  expect(queryOf(filters, { startTime: '2026-11-01', endTime: '2026-11-02' }, now)).toEqual({
    startTime: '2026-11-01 00:00:00',
    endTime: '2026-11-02 23:59:59',
  })
})

it('every figure says where it comes from', () => {
  const { cards, trend, rankings, shares } = stationStatistics
  for (const { title, formula } of [...cards, ...trend.lines, ...rankings, ...shares]) expect(formula.length, title).toBeGreaterThan(8)
  expect(new Set(cards.map(({ key }) => key)).size).toBe(cards.length)
})

it('what was missed and sold is said in the rows and above them', () => {
  const words = [...stationList([]).columns, ...stationStatistics.cards].map(({ title }) => title)
  expect(words.filter((word) => /订单|流水|丢单/.test(word))).toEqual(['丢单', '订单', '流水（元）', '丢单', '订单', '流水'])
})

it('levels and bands are those of the specification', () => {
  expect(levels.map(({ label }) => label)).toEqual(['空', '偏少', '正常', '偏多', '淤积'])
  expect(idleBands).toHaveLength(6)
})

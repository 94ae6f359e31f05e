import { afterEach, expect, it, vi } from 'vitest'
import { QueryClient } from '@tanstack/react-query'
import { api } from '@/api/client'
import { type Delivery, deliveryOf, isDone, lags, OFFLINE, percentOf, progressText, REFUSED, refusalText, WAITING } from './delivery'

const delivery = (more: Partial<Delivery> = {}): Delivery => ({
  opAreaId: '7',
  agentId: '2',
  areaName: '湖滨',
  edition: 12,
  sinceAt: 1,
  bytes: 900,
  parts: 1,
  fences: 3,
  askedAt: null,
  bikes: 2000,
  acknowledged: 1948,
  waiting: 20,
  unanswered: 0,
  offline: 30,
  refused: 2,
  untold: 0,
  ...more,
})

afterEach(() => {
  vi.restoreAllMocks()
})

it('says how many have it, and a hundred percent only when all have', () => {
  expect(progressText(delivery())).toBe('已确认 1,948 / 2,000 辆')
  expect(progressText(delivery({ bikes: 0, acknowledged: 0 }))).toBe('没有上架车辆')
  expect(progressText(delivery({ edition: null }))).toBe('还没有可下发的围栏')
  expect(percentOf(delivery({ acknowledged: 1999 }))).toBe(99)
  expect([isDone(delivery()), isDone(delivery({ acknowledged: 2000 }))]).toEqual([false, true])
})

it('names the reasons that there are', () => {
  expect(lags(delivery())).toEqual([
    [WAITING, 20],
    [OFFLINE, 30],
    [REFUSED, 2],
  ])
  expect([refusalText(111), refusalText(114), refusalText(9), refusalText(null)]).toEqual(['不支持（111）', '参数不能识别（114）', '拒绝（9）', ''])
})

it('asks once for all rows of a list', async () => {
  const get = vi.spyOn(api, 'get').mockResolvedValue({ rows: [delivery()] } as never)
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const answers = await Promise.all(['7', '8', '7'].map((id) => client.fetchQuery(deliveryOf(id))))
  expect(answers.map((answer) => answer?.opAreaId)).toEqual(['7', undefined, '7'])
  expect(get).toHaveBeenCalledTimes(1)
  expect(get.mock.calls[0]?.[1]).toEqual({ opAreaIds: '7,8' })
})

import { cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { ConfigProvider } from 'antd'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { changeOf, percentOf, pointName, type Scope, type Statistics, stretchText, written } from './statistics'
import { StatisticsHead } from './StatisticsHead'

const AT_MS = Date.UTC(2026, 10, 23, 7)
const DAY_MS = 86_400_000
const scope: Scope = {
  range: { from: AT_MS - 7 * DAY_MS, until: AT_MS },
  before: { from: AT_MS - 14 * DAY_MS, until: AT_MS - 7 * DAY_MS },
  areas: '湖里区',
  reckonedAt: AT_MS,
  liveAt: AT_MS + 61_000,
}

describe('figures', () => {
  it('read with thousands apart, and nothing as nothing', () => {
    expect([written(1234.567), written(0), written(12.5, '%'), written(null, '%')]).toEqual(['1,234.57', '0', '12.5%', '--'])
  })

  it('are told against the time before: in percent, percentages in points, of nothing by how many', () => {
    expect(changeOf({ now: 110, before: 100 })).toEqual({ way: 1, text: '较前期 +10%' })
    expect(changeOf({ now: 50, before: 100 })).toEqual({ way: -1, text: '较前期 −50%' })
    expect(changeOf({ now: 12.5, before: 10 }, '%')).toEqual({ way: 1, text: '较前期 +2.5 个百分点' })
    expect(changeOf({ now: 7, before: 0 })).toEqual({ way: 1, text: '较前期 +7' })
    expect(changeOf({ now: 7, before: 7 })).toEqual({ way: 0, text: '与前期持平' })
    expect([changeOf({ now: null, before: 3 }), changeOf({ now: 3, before: null })]).toEqual([null, null])
  })

  it('are of hours and days of Shanghai', () => {
    expect([pointName(AT_MS, true), pointName(AT_MS, false)]).toEqual(['11-23 15:00', '11-23'])
    expect(stretchText(scope.range)).toBe('2026-11-16 15:00 至 2026-11-23 15:00')
  })

  it('are shares of a whole, and of nothing none', () => {
    const parts = [1, 2].map((value) => ({ label: String(value), color: '#000000', value }))
    expect(parts.map(({ value }) => percentOf(value, parts))).toEqual([33.3, 66.7])
    expect(percentOf(0, [])).toBe(0)
  })
})

interface Answer {
  returns: { now: number | null; before: number | null }
  vehicles: number
  series: { at: number; returns: number; full: number | null }[]
}

const statistics: Statistics<Answer, Answer['series'][number]> = {
  cards: [
    { key: 'vehicles', title: '在站车辆', unit: '辆', formula: '现在停着的', figure: ({ vehicles }) => vehicles },
    { key: 'returns', title: '还车', unit: '次', formula: '关锁的次数', figure: ({ returns }) => returns },
  ],
  trend: {
    title: '趋势',
    points: ({ series }) => series,
    at: ({ at }) => at,
    byHour: () => false,
    lines: [
      { key: 'returns', title: '还车', unit: '次', formula: '关锁的次数', value: ({ returns }) => returns },
      { key: 'full', title: '满溢率', unit: '%', percent: true, formula: '满了多久', value: ({ full }) => full },
    ],
  },
  rankings: [
    { key: 'full', title: '淤积', unit: '小时', formula: '满了多久', rows: () => [{ id: '1', name: '东门站', value: 9 }] },
    { key: 'empty', title: '空站', unit: '小时', formula: '空了多久', rows: () => [] },
  ],
  shares: [{ key: 'levels', title: '等级分布', formula: '站点小时', parts: () => [{ label: '空', color: '#F5A623', value: 3 }, { label: '正常', color: '#13B981', value: 9 }] }],
}
const answer: Answer = {
  returns: { now: 12, before: 10 },
  vehicles: 5,
  series: [
    { at: AT_MS - DAY_MS, returns: 5, full: null },
    { at: AT_MS, returns: 7, full: 25 },
  ],
}

// Canvas is the browser's; what is drawn on it is looked at in browser tests.
vi.mock('./TrendChart', () => ({ default: ({ label }: { label: string }) => <div role="img" aria-label={label} /> }))

function show(of: Answer, onOpen = vi.fn<(id: string) => void>()) {
  render(
    <ConfigProvider button={{ autoInsertSpace: false }} theme={{ token: { motion: false } }}>
      <StatisticsHead statistics={statistics} answer={of} scope={scope} onOpen={onOpen} />
    </ConfigProvider>,
  )
  return onOpen
}

describe('the head of a statistics page', () => {
  beforeAll(() => {
    vi.setConfig({ testTimeout: 60_000 })
  })
  afterEach(cleanup)

  it('prints what its figures are of, how new they are and what they were before', () => {
    show(answer)
    const printed = screen.getByLabelText('统计范围').textContent
    expect(printed).toContain('2026-11-16 15:00 至 2026-11-23 15:00')
    expect(printed).toContain('湖里区')
    expect(printed).toContain('统计至 2026-11-23 15:00:00')
    const [vehicles, returns] = within(screen.getByRole('list', { name: '指标' })).getAllByRole('listitem')
    expect(vehicles?.textContent).toBe('在站车辆5辆现在')
    expect(returns?.textContent).toBe('还车12次较前期 +20%')
  })

  it('says of each figure where it comes from', async () => {
    show(answer)
    fireEvent.click(screen.getByRole('button', { name: '还车的口径' }))
    const told = await screen.findByRole('tooltip')
    expect(told.textContent).toContain('关锁的次数')
    expect(told.textContent).toContain('2026-11-09 15:00 至 2026-11-16 15:00')
    expect(told.textContent).toContain('湖里区')
  })

  it('has the numbers of its chart as a table', async () => {
    show(answer)
    await screen.findByRole('img', { name: /趋势：还车、满溢率，11-22 至 11-23/ })
    fireEvent.click(screen.getByRole('button', { name: '看表' }))
    const rows = within(screen.getByRole('region', { name: '趋势数据' })).getAllByRole('row')
    expect(rows.map((row) => row.textContent)).toEqual(['时间还车（次）满溢率（%）', '11-225--', '11-23725'])
  })

  it('opens who is clicked among those who lead, and says when nobody does', () => {
    const onOpen = show(answer)
    fireEvent.click(screen.getByRole('button', { name: '东门站' }))
    expect(onOpen).toHaveBeenCalledWith('1')
    fireEvent.click(screen.getByText('空站'))
    expect(screen.queryByRole('button', { name: '东门站' })).toBeNull()
  })

  it('says that there is nothing where there is nothing', () => {
    show({ returns: { now: null, before: null }, vehicles: 0, series: [] })
    expect(within(screen.getByRole('region', { name: '趋势' })).getByText('期间没有数据')).toBeDefined()
    expect(screen.getByRole('list', { name: '指标' }).textContent).toContain('期间没有数据')
  })
})

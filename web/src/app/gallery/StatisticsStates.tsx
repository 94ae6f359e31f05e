import { useState } from 'react'
import type { Scope, Statistics } from '@/kit/statistics/statistics'
import { StatisticsHead } from '@/kit/statistics/StatisticsHead'
import { chartLines } from '@/kit/theme'
import { State } from './State'

const DAY_MS = 86_400_000
const AT_MS = Date.UTC(2026, 10, 21, 4)

interface Day {
  at: number
  rides: number | null
  share: number | null
}

interface Sales {
  rides: { now: number | null; before: number | null }
  share: { now: number | null; before: number | null }
  bikes: number
  days: Day[]
  parts: number[]
}

const scope: Scope = {
  range: { from: AT_MS - 7 * DAY_MS, until: AT_MS },
  before: { from: AT_MS - 14 * DAY_MS, until: AT_MS - 7 * DAY_MS },
  areas: '示例服务区',
  reckonedAt: AT_MS,
  liveAt: AT_MS,
}

const statistics: Statistics<Sales, Day> = {
  cards: [
    { key: 'bikes', title: '车辆', unit: '辆', formula: '现在的车辆', figure: ({ bikes }) => bikes },
    { key: 'rides', title: '骑行', unit: '次', formula: '期间结束的骑行', figure: ({ rides }) => rides },
    { key: 'share', title: '规范率', unit: '%', formula: '规范停放 ÷ 全部还车', figure: ({ share }) => share },
  ],
  trend: {
    title: '趋势',
    points: ({ days }) => days,
    at: ({ at }) => at,
    byHour: () => false,
    lines: [
      { key: 'rides', title: '骑行', unit: '次', formula: '期间结束的骑行', value: ({ rides }) => rides },
      { key: 'share', title: '规范率', unit: '%', percent: true, formula: '规范停放 ÷ 全部还车', value: ({ share }) => share },
    ],
  },
  rankings: [
    {
      key: 'rides',
      title: '骑行',
      unit: '次',
      formula: '期间结束的骑行，最多的几个',
      rows: ({ parts }) => parts.map((value, index) => ({ id: String(index), name: `站点 ${index + 1}`, value })),
    },
  ],
  shares: [
    {
      key: 'parts',
      title: '构成',
      unit: '次',
      formula: '期间结束的骑行，按来源',
      parts: ({ parts }) => parts.map((value, index) => ({ label: `来源 ${index + 1}`, color: chartLines[index % chartLines.length] ?? chartLines[0], value })),
    },
  ],
}

const some: Sales = {
  rides: { now: 1280, before: 1160 },
  share: { now: 91.5, before: 93 },
  bikes: 300,
  days: [12, 18, null, 25, 21, 30, 28].map((rides, day) => ({ at: AT_MS + (day - 7) * DAY_MS, rides, share: rides && 80 + rides / 2 })),
  parts: [9, 6, 2],
}
const none: Sales = { rides: { now: null, before: null }, share: { now: null, before: null }, bikes: 0, days: [], parts: [] }

/** The head of a statistics page, with figures and without. */
export function StatisticsStates() {
  const [opened, setOpened] = useState('还没有打开')
  return (
    <section className="panel gallery-part" aria-label="统计">
      <h2>统计</h2>
      <State name="有数据，中间一天不知道">
        <StatisticsHead statistics={statistics} answer={some} scope={scope} onOpen={(id) => setOpened(`打开了 ${id}`)} />
        <p>{opened}</p>
      </State>
      <State name="没有数据">
        <StatisticsHead statistics={statistics} answer={none} scope={{ ...scope, reckonedAt: null }} onOpen={() => undefined} />
      </State>
    </section>
  )
}

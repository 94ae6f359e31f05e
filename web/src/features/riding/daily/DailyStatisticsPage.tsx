import { lazy } from 'react'
import { type View, Views } from '@/kit/Views'

const views: readonly [View, ...View[]] = [
  { key: 'days', label: '每日统计', View: lazy(() => import('./DailyListPage')) },
  { key: 'entries', label: '营收明细', View: lazy(() => import('./EntryListPage')) },
]

/** 每日统计: revenue by day, and the entries that the days are made of. */
export default function DailyStatisticsPage() {
  return <Views label="统计视图" views={views} />
}

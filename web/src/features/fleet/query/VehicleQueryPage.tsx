import { lazy } from 'react'
import { type View, Views } from '@/kit/Views'

const views: readonly [View, ...View[]] = [
  { key: 'vehicles', label: '车辆', View: lazy(() => import('./VehicleListPage')) },
  { key: 'alarms', label: '报警单', View: lazy(() => import('../alarms/AlarmListPage')) },
]

/** 车辆查询: bikes, and what was wrong with them. */
export default function VehicleQueryPage() {
  return <Views label="车辆视图" views={views} />
}

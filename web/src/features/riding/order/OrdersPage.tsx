import { lazy } from 'react'
import { type View, Views } from '@/kit/Views'
import { OpenAnomalies } from './OpenAnomalies'

const views: readonly [View, ...View[]] = [
  { key: 'orders', label: '用户订单', View: lazy(() => import('./OrderListPage')) },
  { key: 'anomalies', label: '异常订单', View: lazy(() => import('./AnomalyListPage')), Count: OpenAnomalies },
  { key: 'misses', label: '丢单', View: lazy(() => import('./MissListPage')) },
  { key: 'mispricings', label: '受影响订单', View: lazy(() => import('./MispricingListPage')) },
]

/** 用户订单: orders in several views. */
export default function OrdersPage() {
  return <Views label="订单视图" views={views} />
}

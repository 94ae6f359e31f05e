import { Skeleton, Tabs } from 'antd'
import { type ComponentType, lazy, Suspense } from 'react'
import { useSearchParams } from 'react-router-dom'
import { OpenAnomalies } from './OpenAnomalies'
import './orders.css'

interface View {
  /** In the address, behind `view`. */
  key: string
  label: string
  View: ComponentType
  /** Beside the label: how much waits there. */
  Count?: ComponentType
}

/** The views of orders; the first is shown by an address that names none. */
const views: readonly [View, ...View[]] = [
  { key: 'orders', label: '用户订单', View: lazy(() => import('./OrderListPage')) },
  { key: 'anomalies', label: '异常订单', View: lazy(() => import('./AnomalyListPage')), Count: OpenAnomalies },
  { key: 'mispricings', label: '受影响订单', View: lazy(() => import('./MispricingListPage')) },
]

const NAME = 'view'

/** 用户订单: orders in several views, each with its own filters; the address names the view. */
export default function OrdersPage() {
  const [params, setParams] = useSearchParams()
  const [first] = views
  const { key, View } = views.find((one) => one.key === params.get(NAME)) ?? first
  // Filters of one view mean nothing to the other.
  const choose = (next: string) => setParams(next === first.key ? {} : { [NAME]: next })
  return (
    <div className="order-views">
      <Tabs
        aria-label="订单视图"
        activeKey={key}
        onChange={choose}
        items={views.map(({ key: each, label, Count }) => ({
          key: each,
          label: (
            <>
              {label}
              {Count && <Count />}
            </>
          ),
        }))}
      />
      <Suspense fallback={<Skeleton active paragraph={{ rows: 12 }} />}>
        <View key={key} />
      </Suspense>
    </div>
  )
}

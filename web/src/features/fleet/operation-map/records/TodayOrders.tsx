import { useQuery } from '@tanstack/react-query'
import { Skeleton } from 'antd'
import { Link } from 'react-router-dom'

import { formatMoney, formatTime } from '@/kit/format'
import { LoadFailure } from '@/kit/LoadFailure'
import { Dot } from '@/kit/StateTag'
import { useNow } from '@/live/useNow'

import { orderStateOf, ordersOfDay, ROWS } from '../../info/records'
import { rideText } from './words'
import './records.css'

const MINUTE_MS = 60_000

/** The rides of today, the newest first. */
export default function TodayOrders({ carId }: { carId: string }) {
  const today = formatTime(useNow(MINUTE_MS)).slice(0, 10)
  const query = useQuery(ordersOfDay(carId, today))
  if (query.isLoading) return <Skeleton active title={false} />
  const { rows = [], count = 0 } = query.data ?? {}
  return (
    <>
      <LoadFailure query={query} text="今日订单没有取到" />
      {query.data && rows.length === 0 && <p className="opmap-weak">今天还没有订单</p>}
      <ol className="opmap-rows" aria-label="今日订单">
        {rows.map((order) => (
          <li key={order.orderId}>
            <p>
              <Link to={`/user-order?open=${order.orderId}`}>{formatTime(order.openedAt).slice(11, 16)}</Link>
              <Dot {...orderStateOf(order)} />
              <b>{formatMoney(order.payCents)} 元</b>
            </p>
            <p className="opmap-weak">{rideText(order)}</p>
          </li>
        ))}
      </ol>
      {count > rows.length && <p className="opmap-weak">今天共 {count} 单，这里显示最近 {ROWS} 单。</p>}
      <Link to={`/user-order?keyword=${encodeURIComponent(carId)}`}>全部订单</Link>
    </>
  )
}

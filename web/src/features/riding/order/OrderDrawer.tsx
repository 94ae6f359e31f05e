import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { factsOf } from '@/kit/list/cells'
import { RecordDrawer } from '@/kit/record/RecordDrawer'
import { orderList } from './description'
import { type OrderInfo, orderInfo, titleOf } from './order'
import { OrderActs } from './OrderActs'
import { ReceiptTable } from './ReceiptTable'
import './order.css'

/** What is known of an order in short; the whole of it is a page of its own. */
export function OrderDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <RecordDrawer<OrderInfo>
      id={id}
      query={useQuery(orderInfo(id))}
      category="ride-order"
      words={{ untitled: '订单', failure: '订单加载失败', subject: '这个订单', main: '费用' }}
      title={titleOf}
      actions={() => <Link to={`/user-order-detail?orderId=${id}`}>轨迹与费用依据</Link>}
      facts={(order) => factsOf(orderList, order, 'state', 'phone', 'name', 'carId', 'areaName', 'openedAt', 'startAt', 'endAt', 'ridingS', 'distanceM', 'class', 'endKind', 'payCents', 'paidCents', 'refundCents', ...(order.reminders > 0 ? (['reminders', 'remindedAt'] as const) : []))}
      onClose={onClose}
    >
      {(_, order) => (
        <>
          {order.receipt ? <ReceiptTable receipt={order.receipt} /> : <p className="weak">订单尚未计费。</p>}
          <OrderActs order={order} />
        </>
      )}
    </RecordDrawer>
  )
}

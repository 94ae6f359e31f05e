import { ListPage } from '@/kit/list/ListPage'
import { orderList } from './description'
import type { Order } from './order'
import { OrderDrawer } from './OrderDrawer'

/** Every order, as the first view of 用户订单. */
export default function OrderListPage() {
  return <ListPage<Order> description={orderList} drawer={(id, close) => <OrderDrawer id={id} onClose={close} />} />
}

import { useNavigate } from 'react-router-dom'
import { ListPage } from '@/kit/list/ListPage'
import type { RevenueEntry } from './daily'
import { entryList } from './description'

/** 营收明细: what the days are made of, entry by entry. */
export default function EntryListPage() {
  const navigate = useNavigate()
  return (
    <ListPage<RevenueEntry>
      description={entryList}
      rowActions={({ orderId }) => [
        {
          key: 'order',
          label: '订单详情',
          code: '1601',
          ...(orderId === null && { unavailable: '这一笔不是关于订单的' }),
          onRun: () => void navigate(`/user-order-detail?orderId=${orderId}`),
        },
      ]}
    />
  )
}

import { Button } from 'antd'
import { useSearchParams } from 'react-router-dom'
import { ListPage } from '@/kit/list/ListPage'
import { FindMispriced, type Asked } from './FindMispriced'
import { MispricedOrders } from './MispricedOrders'
import { type Mispricing, mispricingList, type Subject } from './mispricing'
import './orders.css'

const CASE = 'case'
const FIND = 'find'

/** What an address asks to be looked for. */
function askedOf(params: URLSearchParams): Asked {
  const subject = Number(params.get('subject') ?? 1)
  const version = params.get('version')
  return {
    subject: (subject === 2 || subject === 3 ? subject : 1) satisfies Subject,
    opAreaId: params.get('opAreaId') ?? undefined,
    fenceId: params.get('fenceId') ?? undefined,
    version: version === null ? undefined : Number(version),
  }
}

/** 受影响订单: versions that priced orders wrong, and the orders of one of them. */
export default function MispricingListPage() {
  const [params, setParams] = useSearchParams()
  const of = params.get(CASE)
  const show = (more: Readonly<Record<string, string>>) => setParams({ view: params.get('view') ?? '', ...more })
  const finding = params.get(FIND) !== null && (
    <FindMispriced asked={askedOf(params)} onFound={(id) => show({ [CASE]: id })} onClose={() => show({})} />
  )
  if (of !== null) return <MispricedOrders key={of} id={of} onBack={() => show({})} />
  return (
    <>
      <ListPage<Mispricing>
        description={mispricingList}
        tools={() => (
          <Button type="primary" onClick={() => show({ [FIND]: '1' })}>
            核对受影响订单
          </Button>
        )}
        rowActions={({ id }) => [{ key: 'orders', label: '明细', onRun: () => show({ [CASE]: id }) }]}
      />
      {finding}
    </>
  )
}

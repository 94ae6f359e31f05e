import { useQuery } from '@tanstack/react-query'
import { Button, Empty, Result, Skeleton, Tabs } from 'antd'
import { useContext, useMemo } from 'react'
import { useSearchParams } from 'react-router-dom'
import { failureText } from '@/api/client'
import { Facts } from '@/kit/Facts'
import { ListPage } from '@/kit/list/ListPage'
import { useFollow } from '@/kit/list/useFollow'
import { Money } from '@/kit/Money'
import { usePermit } from '@/kit/Permit'
import { HistoryContext } from '@/kit/record/history'
import { Dot } from '@/kit/StateTag'
import { Time } from '@/kit/Time'
import { HoldingsTab } from '../cards/HoldingsTab'
import { ordersOf } from './description'
import { calledOf, depositState, RIDER_PATH, type RiderInfo, riderInfo, type RiderOrder } from './rider'
import { RiderActions } from './RiderActions'
import { riderFacts } from './RiderFacts'
import { WalletTab } from './WalletTab'
import './rider.css'

/** 用户详情: all of one rider, without a frame. */
export default function RiderDetailPage() {
  const [params] = useSearchParams()
  const userId = params.get('userId') ?? ''
  const query = useQuery(riderInfo(userId))
  useFollow('rider', [RIDER_PATH])
  if (userId === '' || query.isError) {
    return (
      <section className="panel">
        <Result
          status="warning"
          title={userId === '' ? '地址中缺少用户编号' : failureText(query.error, '用户加载失败')}
          extra={<Button href="#/user-info">返回用户列表</Button>}
        />
      </section>
    )
  }
  return (
    <section className="panel rider-page">
      {query.data ? <Loaded rider={query.data} /> : <Skeleton active paragraph={{ rows: 8 }} />}
    </section>
  )
}

function Loaded({ rider }: { rider: RiderInfo }) {
  const { userId } = rider
  const [params, setParams] = useSearchParams()
  const history = useContext(HistoryContext)
  const seesHistory = usePermit(history?.need ?? '') && history !== null
  const seesWallet = usePermit('070101')
  const seesOrders = usePermit('1601')
  const tabs = [
    ...(seesOrders ? [{ key: 'orders', label: '订单', children: <OrdersTab userId={userId} /> }] : []),
    ...(seesWallet
      ? [
          { key: 'wallet', label: '钱包流水', children: <WalletTab userId={userId} /> },
          { key: 'cards', label: '卡与会员', children: <HoldingsTab userId={userId} /> },
        ]
      : []),
    { key: 'deposit', label: '押金', children: <DepositTab rider={rider} /> },
    ...(seesHistory && history ? [{ key: 'history', label: '操作记录', children: <history.Steps category="rider" id={userId} version={rider.version} /> }] : []),
  ]
  const asked = params.get('tab')
  return (
    <>
      <header className="rider-head">
        <h1>{calledOf(rider)}</h1>
        <RiderActions rider={rider} />
      </header>
      <Facts facts={riderFacts(rider)} />
      <Tabs
        // Two lists would read one address: only the one in sight is there.
        destroyOnHidden
        activeKey={tabs.some(({ key }) => key === asked) ? (asked ?? '') : tabs[0]?.key}
        onChange={(tab) => setParams({ userId, tab }, { replace: true })}
        items={tabs}
      />
    </>
  )
}

function OrdersTab({ userId }: { userId: string }) {
  const description = useMemo(() => ordersOf(userId), [userId])
  return <ListPage<RiderOrder> description={description} />
}

/** 押金: where it stands, and why. */
function DepositTab({ rider: { deposit } }: { rider: RiderInfo }) {
  if (deposit.amountCents === 0) return <Empty description={`押金${depositState(deposit.state).label}`} />
  return (
    <Facts
      facts={[
        { name: '押金状态', value: <Dot {...depositState(deposit.state)} /> },
        {
          name: '金额',
          value: (
            <>
              <Money cents={deposit.amountCents} /> 元
            </>
          ),
        },
        ...(deposit.freezeReason === null
          ? []
          : [
              { name: '冻结到期', value: deposit.freezeUntil === null ? '人工恢复' : <Time at={deposit.freezeUntil} /> },
              { name: '冻结原因', value: deposit.freezeReason, whole: true },
            ]),
      ]}
    />
  )
}

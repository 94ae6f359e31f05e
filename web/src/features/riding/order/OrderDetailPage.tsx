import { useQuery } from '@tanstack/react-query'
import { Button, Empty, Result, Skeleton } from 'antd'
import { lazy, Suspense, useContext } from 'react'
import { Link, useSearchParams } from 'react-router-dom'
import { failureText, HttpError } from '@/api/client'
import { cancelReasonLabels, returnClassLabels } from '@/api/generated/labels'
import { labelOf } from '@/kit/choice'
import { type Fact, Facts } from '@/kit/Facts'
import { Money } from '@/kit/Money'
import { HistoryContext } from '@/kit/record/history'
import { usePermit } from '@/kit/Permit'
import { Dot } from '@/kit/StateTag'
import { Time } from '@/kit/Time'
import { factsOf } from '@/kit/list/cells'
import { orderList } from './description'
import { causeText, endText, movesOf, type OrderInfo, orderInfo, orderState, proofText, remindedText } from './order'
import { OrderActs } from './OrderActs'
import { OrderReplay } from './OrderReplay'
import { ReceiptTable } from './ReceiptTable'
import './order.css'

const OrderMap = lazy(() => import('./OrderMap'))
const FORBIDDEN = 403

/** 用户订单详情: outside of the frame, by `?orderId=`. */
export default function OrderDetailPage() {
  const [address] = useSearchParams()
  const id = address.get('orderId') ?? ''
  const query = useQuery({ ...orderInfo(id), enabled: id !== '' })
  if (id === '') return <Missing text="地址中缺少订单编号" />
  if (query.isError) {
    const forbidden = query.error instanceof HttpError && query.error.status === FORBIDDEN
    return <Missing text={forbidden ? '没有查看订单的权限' : failureText(query.error, '订单加载失败')} onRetry={forbidden ? undefined : () => void query.refetch()} />
  }
  if (!query.data) return <Skeleton active paragraph={{ rows: 12 }} />
  return <Loaded key={id} order={query.data} />
}

function Missing({ text, onRetry }: { text: string; onRetry?: (() => void) | undefined }) {
  return (
    <section className="panel">
      <Result
        status="warning"
        title={text}
        extra={
          <>
            {onRetry && <Button onClick={onRetry}>重试</Button>}
            <Link to="/user-order">返回用户订单</Link>
          </>
        }
      />
    </section>
  )
}

function factsFor(order: OrderInfo): Fact[] {
  return [
    ...factsOf(orderList, order, 'phone', 'name', 'carId', 'areaName', 'openedAt', 'startAt', 'endAt', 'ridingS', 'distanceM'),
    { name: '结束方式 · 还车位置', value: endText(order) || '--' },
    ...(order.cancelReason === null ? [] : [{ name: '取消原因', value: labelOf(cancelReasonLabels, order.cancelReason) }]),
    ...factsOf(orderList, order, 'payCents', 'paidCents', 'refundCents', 'writtenOffCents'),
    { name: '待付（元）', value: <Money cents={order.owedCents} /> },
    ...(order.reminders > 0 ? [{ name: '催缴', value: remindedText(order) }] : []),
    { name: '计费版本', value: order.billingVersion === 0 ? '默认计费' : `第 ${order.billingVersion} 版` },
    { name: '用户编号', value: <span className="figure">{order.userId}</span> },
  ]
}

function Loaded({ order }: { order: OrderInfo }) {
  return (
    <div className="order-page">
      <header className="order-head">
        <h1>
          订单 <span className="figure">{order.orderId}</span> <Dot {...orderState(order.state)} />
        </h1>
        <OrderActs order={order} />
      </header>
      <section className="panel order-part">
        <Facts facts={factsFor(order)} />
      </section>
      <div className="order-columns">
        <section className="panel order-part" aria-label="轨迹">
          <h2>轨迹</h2>
          <Suspense fallback={<Skeleton active />}>
            <OrderMap order={order} />
          </Suspense>
        </section>
        <section className="panel order-part" aria-label="费用依据">
          <h2>费用依据</h2>
          {order.receipt ? (
            <>
              <ReceiptTable receipt={order.receipt} />
              <p className="weak">
                按{order.billingVersion === 0 ? '默认计费' : `服务区计费第 ${order.billingVersion} 版`}；还车按「{labelOf(returnClassLabels, order.left)}」计。
              </p>
            </>
          ) : (
            <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="订单尚未计费" />
          )}
        </section>
        {order.receipt && <OrderReplay order={order} />}
        <Evidence order={order} />
        <Booked order={order} />
        <History order={order} />
      </div>
    </div>
  )
}

function Evidence({ order: { evidence, certaintyPercent } }: { order: OrderInfo }) {
  return (
    <section className="panel order-part" aria-label="还车证据">
      <h2>还车证据</h2>
      {evidence ? (
        <>
          <ul className="order-reasons">
            {evidence.reasons.map((reason) => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
          <Facts
            facts={[
              { name: '判定把握', value: certaintyPercent === null ? '--' : `${certaintyPercent}%` },
              { name: '定位精度因子', value: evidence.hdop ?? '--' },
              { name: '车辆已验证', value: proofText(evidence.proved) || '无' },
              { name: '头盔', value: evidence.helmetBack === null ? '未上报' : evidence.helmetBack ? '已还' : '未还' },
              { name: '车头方向', value: evidence.headingDegrees === null ? '--' : `${Math.round(evidence.headingDegrees)}°` },
            ]}
          />
        </>
      ) : (
        <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="还没有还车" />
      )}
    </section>
  )
}

/** Payments and refunds, as the ledger has them. */
function Booked({ order: { entries } }: { order: OrderInfo }) {
  return (
    <section className="panel order-part" aria-label="支付与退款">
      <h2>支付与退款</h2>
      {entries.length === 0 ? (
        <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description="没有入账" />
      ) : (
        <ol className="order-entries">
          {entries.map((entry) => (
            <li key={entry.position}>
              <strong>{causeText(entry.what)}</strong>{' '}
              <span className="weak">
                <Time at={entry.at} />
              </span>
              <dl>
                {movesOf(entry).map(({ name, cents }) => (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd>
                      {cents > 0 && '+'}
                      <Money cents={cents} />
                    </dd>
                  </div>
                ))}
              </dl>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

/** What was done to it, for those who may read the operator log. */
function History({ order: { orderId, version } }: { order: OrderInfo }) {
  const history = useContext(HistoryContext)
  const permitted = usePermit(history?.need ?? '')
  if (!history || !permitted) return null
  return (
    <section className="panel order-part" aria-label="操作记录">
      <h2>操作记录</h2>
      <history.Steps category="ride-order" id={orderId} version={version} />
    </section>
  )
}

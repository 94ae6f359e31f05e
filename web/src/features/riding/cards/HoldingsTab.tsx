import { useQuery } from '@tanstack/react-query'
import { Button, Empty, Form, Input, Modal, Radio, Skeleton } from 'antd'
import { useState } from 'react'
import { command } from '@/api/client'
import { refundToLabels } from '@/api/generated/labels'
import { Facts } from '@/kit/Facts'
import { formatMoney } from '@/kit/format'
import { LoadFailure } from '@/kit/LoadFailure'
import { Money } from '@/kit/Money'
import { Permit } from '@/kit/Permit'
import { Dot } from '@/kit/StateTag'
import { Time } from '@/kit/Time'
import { numberedOptionsOf } from '@/kit/choice'
import { useCommand } from '@/kit/useCommand'
import { benefitText, type Holding, HOLDING_PATH, holdingsOf, holdingState, kindName, staleHoldings, timesText } from './card'
import './cards.css'

const REASON_MAX = 200

/** The cards that a rider holds and held, newest first, and the way to give one back. */
export function HoldingsTab({ userId }: { userId: string }) {
  const query = useQuery(holdingsOf(userId))
  const [refunding, setRefunding] = useState<Holding | null>(null)
  if (query.isLoading) return <Skeleton active />
  if (query.isError) return <LoadFailure query={query} text="持卡加载失败" />
  const rows = query.data?.rows ?? []
  if (rows.length === 0) return <Empty description="没有买过卡" />
  return (
    <>
      <ul className="holdings" aria-label="持卡">
        {rows.map((row) => (
          <li key={row.id} className="holding" aria-label={row.card.name}>
            <header>
              <strong>{row.card.name}</strong>
              <Dot {...holdingState(row.state)} />
              {row.refundableCents > 0 && (
                <Permit need="070101">
                  <Button size="small" onClick={() => setRefunding(row)}>
                    退卡
                  </Button>
                </Permit>
              )}
            </header>
            <Facts facts={factsOf(row)} />
          </li>
        ))}
      </ul>
      {refunding && <RefundCard holding={refunding} onClose={() => setRefunding(null)} />}
    </>
  )
}

function factsOf(row: Holding) {
  const { card, refundedAt } = row
  return [
    { name: '卡类型', value: kindName(row.kind) },
    { name: '优惠', value: `${benefitText(card)}，${timesText(card)}` },
    {
      name: '有效期',
      value: (
        <>
          <Time at={row.startsAt} /> 至 <Time at={row.untilAt} />
        </>
      ),
    },
    { name: '购买', value: <Time at={row.boughtAt} /> },
    {
      name: '价格',
      value: (
        <>
          <Money cents={row.priceCents} /> 元（{row.paymentId ? '渠道支付' : '钱包余额'}）
        </>
      ),
    },
    ...(row.remainTimes === null || row.remainTimes === undefined ? [] : [{ name: '剩余次数', value: <span className="figure">{row.remainTimes}</span> }]),
    { name: '已用', value: <span className="figure">{`${row.usedTimes} 次，今日 ${row.todayUsed ?? 0} 次`}</span> },
    {
      name: '已节省',
      value: (
        <>
          <Money cents={row.savedCents} /> 元
        </>
      ),
    },
    ...(refundedAt
      ? [
          { name: '退款', value: <Time at={refundedAt} /> },
          {
            name: '退款金额',
            value: (
              <>
                <Money cents={row.refundedCents} /> 元（{row.refundTo ? refundToLabels[row.refundTo] : ''}）
              </>
            ),
          },
          { name: '退款原因', value: row.refundReason, whole: true },
        ]
      : []),
  ]
}

interface RefundFields {
  refundTo: 1 | 2
  reason: string
}

/** Asks where the price goes back to, and why. */
function RefundCard({ holding, onClose }: { holding: Holding; onClose(): void }) {
  const [form] = Form.useForm<RefundFields>()
  const refund = useCommand({ run: command.post(`${HOLDING_PATH}/refund`), stale: staleHoldings, done: '已退卡' })
  const byChannel = Boolean(holding.paymentId)
  const send = (fields: RefundFields) => void refund.mutateAsync({ userId: holding.userId, holdingId: holding.id, ...fields }).then(onClose, () => undefined)
  return (
    <Modal open title={`退卡「${holding.card.name}」`} okText="退卡" cancelText="取消" okButtonProps={{ danger: true, loading: refund.isPending }} onOk={() => form.submit()} onCancel={onClose} destroyOnHidden>
      <p>
        可退 <strong className="figure">{formatMoney(holding.refundableCents)}</strong> 元（购买价 {formatMoney(holding.priceCents)} 元）：按总次数的卡退剩余次数，其他卡退剩余天数，向下取整。退卡后立即失效，不能恢复。
      </p>
      <Form<RefundFields> form={form} layout="vertical" initialValues={{ refundTo: byChannel ? 2 : 1 }} onFinish={send}>
        <Form.Item name="refundTo" label="退款方式" extra={byChannel ? undefined : '用钱包余额购买的卡只能退到钱包'}>
          <Radio.Group options={numberedOptionsOf(refundToLabels)} disabled={!byChannel} />
        </Form.Item>
        <Form.Item name="reason" label="退款原因" rules={[{ required: true, whitespace: true, message: '请填写退款原因' }]}>
          <Input.TextArea autoSize={{ minRows: 2, maxRows: 4 }} maxLength={REASON_MAX} showCount />
        </Form.Item>
      </Form>
    </Modal>
  )
}

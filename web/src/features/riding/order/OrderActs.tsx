import { Button, DatePicker, Form, Input, InputNumber, Modal, Radio, Space, Tooltip } from 'antd'
import dayjs, { type Dayjs } from 'dayjs'
import { useState } from 'react'
import { command, type CallOptions } from '@/api/client'
import { serverNow } from '@/api/clock'
import { formatMoney } from '@/kit/format'
import { Permit } from '@/kit/Permit'
import { useCommand } from '@/kit/useCommand'
import { momentOf, type OrderInfo, REASON_MAX, staleOf, writtenOf } from './order'

type Act = keyof OrderInfo['actions']

interface Fields {
  at?: Dayjs
  yuan?: number
  to?: 'original' | 'wallet'
  /** Of all but a reminder. */
  reason?: string
}

const WRITTEN = 'YYYY-MM-DD HH:mm:ss'
const acts: readonly { act: Act; label: string; danger?: boolean }[] = [
  { act: 'forceEnd', label: '强制结束' },
  { act: 'cancel', label: '取消订单' },
  { act: 'modify', label: '改价' },
  { act: 'refund', label: '退款', danger: true },
  { act: 'remind', label: '催缴' },
  { act: 'writeOff', label: '核销欠款', danger: true },
]

/** What follows, in words. */
function consequenceOf(act: Act, { carId, payCents, refundable, owedCents }: OrderInfo): string {
  const sum = refundable.rechargeCents + refundable.presentCents + refundable.thirdCents
  switch (act) {
    case 'forceEnd':
      return `按所选时间结束行程并计费，车辆 ${carId} 关锁后可以再次租用。`
    case 'cancel':
      return `订单不计费，车辆 ${carId} 关锁后可以再次租用；车辆移动超过 50 米的订单不能取消。`
    case 'modify':
      return `现在应付 ${formatMoney(payCents)} 元，只能改低；超过额度时由另一位同事复核后生效。`
    case 'refund':
      return `最多可退 ${formatMoney(sum)} 元：先退支付渠道，再退充值余额，最后退赠送余额；超过额度时由另一位同事复核后退款。`
    case 'remind':
      return `按服务区的提醒方式通知用户支付欠款 ${formatMoney(owedCents)} 元；一小时内只能催缴一次，晚 22 点至早 8 点不催缴。`
    case 'writeOff':
      return `不再收取欠款 ${formatMoney(owedCents)} 元，需要另一位同事复核后生效。`
  }
}

/** What became of it: it is done, or waits for a second person. */
export function became(answer: unknown): string {
  if (typeof answer === 'object' && answer !== null && 'sent' in answer) {
    if (answer.sent === true) return '已催缴，短信已发出'
    return answer.sent === false ? '已记为催缴，但短信没有发出，一小时后可以再试' : '已催缴，用户打开客户端时会看到'
  }
  const waits = typeof answer === 'object' && answer !== null && 'approvalId' in answer
  return waits ? '已提交复核，由另一位同事同意后执行' : '已执行'
}

/** Sends an act as it was asked for. */
function run(act: Act, { orderId, version }: OrderInfo, { at, yuan = 0, to = 'original', reason = '' }: Fields, options: CallOptions): Promise<unknown> {
  const body = { orderId, reason, version }
  const cents = Math.round(yuan * 100)
  switch (act) {
    case 'forceEnd': {
      const ended = at ? momentOf(at.format(WRITTEN)) : null
      return command.post('/order/forceEnd')(ended === null ? body : { ...body, at: ended }, options)
    }
    case 'cancel':
      return command.post('/order/cancel')(body, options)
    case 'modify':
      return command.post('/order/modify')({ ...body, payCents: cents }, options)
    case 'refund':
      return command.post('/order/refund')({ ...body, rideCents: cents, to }, options)
    case 'remind':
      return command.post('/order/remind')({ orderId, version }, options)
    case 'writeOff':
      return command.post('/order/writeOff')(body, options)
  }
}

/** What can be done with an order, each with its consequence and a reason; what cannot says why. */
export function OrderActs({ order }: { order: OrderInfo }) {
  const [asking, setAsking] = useState<Act | null>(null)
  return (
    <Permit need="1601">
      <Space wrap className="order-acts">
        {acts.map(({ act, label, danger }) => {
          const why = order.actions[act]
          return (
            <Tooltip key={act} title={why}>
              <Button danger={danger} disabled={why !== null} onClick={() => setAsking(act)}>
                {label}
              </Button>
            </Tooltip>
          )
        })}
      </Space>
      {asking && <ActDialog act={asking} order={order} onClose={() => setAsking(null)} />}
    </Permit>
  )
}

function ActDialog({ act, order, onClose }: { act: Act; order: OrderInfo; onClose: () => void }) {
  const [form] = Form.useForm<Fields>()
  const send = useCommand({ run: (fields: Fields, options) => run(act, order, fields, options), stale: staleOf(order.orderId), done: became })
  const label = acts.find((one) => one.act === act)?.label
  const sum_cents = order.refundable.rechargeCents + order.refundable.presentCents + order.refundable.thirdCents
  const most_cents = act === 'refund' ? sum_cents : order.payCents
  const finish = ({ reason = '', ...fields }: Fields) => void send.mutateAsync({ ...fields, reason: reason.trim() }).then(onClose, () => undefined)
  return (
    <Modal open title={`${label}「订单 ${order.orderId}」`} okText={label} cancelText="取消" okButtonProps={{ danger: act !== 'remind', loading: send.isPending }} onOk={() => form.submit()} onCancel={onClose} destroyOnHidden>
      <p>{consequenceOf(act, order)}</p>
      <Form<Fields> form={form} layout="vertical" initialValues={{ at: dayjs(writtenOf(serverNow())), yuan: most_cents / 100, to: 'original', reason: '' }} onFinish={finish}>
        {act === 'forceEnd' && (
          <Form.Item name="at" label="实际结束时间" extra={`开始于 ${writtenOf(order.startAt ?? 0)}，不能晚于现在`} rules={[{ required: true, message: '请选择结束时间' }]}>
            <DatePicker showTime format={WRITTEN} allowClear={false} />
          </Form.Item>
        )}
        {(act === 'modify' || act === 'refund') && (
          <Form.Item name="yuan" label={act === 'modify' ? '改为（元）' : '退款金额（元）'} rules={[{ required: true, message: '请填写金额' }]}>
            <InputNumber min={act === 'refund' ? 0.01 : 0} max={most_cents / 100} precision={2} />
          </Form.Item>
        )}
        {act === 'refund' && order.refundable.thirdCents > 0 && (
          <Form.Item name="to" label="支付渠道付的部分退到">
            <Radio.Group
              options={[
                { value: 'original', label: '原路退回' },
                { value: 'wallet', label: '退到钱包' },
              ]}
            />
          </Form.Item>
        )}
        {act !== 'remind' && (
          <Form.Item name="reason" label="原因" rules={[{ required: true, whitespace: true, message: '请填写原因' }]}>
            <Input.TextArea autoSize={{ minRows: 2, maxRows: 4 }} maxLength={REASON_MAX} showCount />
          </Form.Item>
        )}
      </Form>
    </Modal>
  )
}

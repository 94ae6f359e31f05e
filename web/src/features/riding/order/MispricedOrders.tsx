import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Alert, Button, Form, Input, Modal, Progress, Radio, Skeleton, Space, Tooltip } from 'antd'
import { useEffect, useMemo, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { command } from '@/api/client'
import { Facts } from '@/kit/Facts'
import { formatMoney, formatTime } from '@/kit/format'
import { ListPage } from '@/kit/list/ListPage'
import { LoadFailure } from '@/kit/LoadFailure'
import { Money } from '@/kit/Money'
import { Dot } from '@/kit/StateTag'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { useCommand } from '@/kit/useCommand'
import {
  consequenceOf,
  DISCARD_PATH,
  FOUND,
  type MispricedOrder,
  mispricedOrders,
  type Mispricing,
  mispricing,
  mispricingsStale,
  mispricingState,
  progressText,
  rangeText,
  REFUND_PATH,
  REFUNDING,
  unrefundable,
  wrongText,
} from './mispricing'
import { REASON_MAX } from './order'
import { became } from './OrderActs'
import { OrderDrawer } from './OrderDrawer'
import './orders.css'

/** The orders that a wrong version priced, what is due for each and what became of it; all are given back by one act. */
export function MispricedOrders({ id, onBack }: { id: string; onBack: () => void }) {
  const query = useQuery(mispricing(id))
  const client = useQueryClient()
  const navigate = useNavigate()
  const description = useMemo(() => mispricedOrders(id), [id])
  const settled = query.data ? progressText(query.data) : ''
  // Rows change as orders are settled.
  useEffect(() => {
    if (settled) void client.invalidateQueries({ queryKey: [description.path] })
  }, [client, description, settled])
  return (
    <>
      <Button type="link" className="mispricing-back" onClick={onBack}>
        返回受影响订单
      </Button>
      <LoadFailure query={query} text="核对记录加载失败" />
      <ListPage<MispricedOrder>
        description={description}
        above={() => (query.data ? <CaseSummary of={query.data} /> : <Skeleton active />)}
        rowActions={({ orderId }) => [{ key: 'order', label: '订单详情', onRun: () => void navigate(`/user-order-detail?orderId=${orderId}`) }]}
        drawer={(order, close) => <OrderDrawer id={order} onClose={close} />}
      />
    </>
  )
}

function CaseSummary({ of }: { of: Mispricing }) {
  const [refunding, setRefunding] = useState(false)
  const discard = useAskedCommand({ run: command.post(DISCARD_PATH), stale: mispricingsStale, done: '已作废' })
  const done = of.givenOrders + of.overtakenOrders + of.failedOrders
  const why = unrefundable(of)
  const facts = [
    { name: '核对内容', value: wrongText(of), whole: true },
    { name: '状态', value: <Dot {...mispricingState(of.state)} /> },
    { name: '服务区', value: of.areaName },
    { name: '订单结束时间', value: <span className="figure">{rangeText(of)}</span> },
    { name: '核对', value: `${of.finder ?? '--'} · ${formatTime(of.foundAt)} · 重算 ${of.examined.toLocaleString('zh-CN')} 单` },
    { name: '应退订单', value: `${of.orders.toLocaleString('zh-CN')} 单 · ${of.riders.toLocaleString('zh-CN')} 位用户` },
    { name: '应退已付（元）', value: <Money cents={of.backCents} /> },
    { name: '应减未付（元）', value: <Money cents={of.lowerCents} /> },
    { name: '少收，不追收', value: `${of.higherOrders.toLocaleString('zh-CN')} 单 · ${formatMoney(of.higherCents)} 元` },
    ...(of.begunAt ? [{ name: '已退 / 已减（元）', value: <><Money cents={of.givenCents} /> / <Money cents={of.loweredCents} /></> }] : []),
    ...(of.reason ? [{ name: '原因', value: of.reason, whole: true }] : []),
  ]
  return (
    <section className="mispricing-case" aria-label="核对结果">
      {of.isCapped && (
        <Alert className="notice" type="warning" showIcon title="订单太多，只列出了最近的一部分" description="处理完这一批后，缩小订单结束时间的范围再核对一次；已退还的订单不会重复退。" />
      )}
      <Facts facts={facts} />
      {(of.state === REFUNDING || done > 0) && (
        <div className="mispricing-progress" role="status" aria-label="退还进度">
          <Progress percent={of.orders === 0 ? 100 : Math.floor((done / of.orders) * 100)} size="small" status={of.failedOrders > 0 ? 'exception' : of.state === REFUNDING ? 'active' : 'success'} />
          <span className="weak figure">{progressText(of)}</span>
        </div>
      )}
      {of.state === FOUND && (
        <Space wrap>
          <Tooltip title={why}>
            <Button type="primary" danger disabled={why !== undefined} onClick={() => setRefunding(true)}>
              全部退还
            </Button>
          </Tooltip>
          <Button onClick={() => discard({ id: of.id, version: of.version }, { act: '作废核对记录', name: wrongText(of), consequence: '这次核对的结果不再可退；需要时可以重新核对。' })}>作废</Button>
        </Space>
      )}
      {refunding && <RefundDialog of={of} onClose={() => setRefunding(false)} />}
    </section>
  )
}

interface Fields {
  to: 'original' | 'wallet'
  reason: string
}

function RefundDialog({ of, onClose }: { of: Mispricing; onClose: () => void }) {
  const [form] = Form.useForm<Fields>()
  const send = useCommand({ run: command.post(REFUND_PATH), stale: mispricingsStale, done: became })
  const finish = ({ to, reason }: Fields) => void send.mutateAsync({ id: of.id, to, reason: reason.trim(), version: of.version }).then(onClose, () => undefined)
  return (
    <Modal open title={`全部退还 ${of.orders.toLocaleString('zh-CN')} 个订单`} okText="全部退还" cancelText="取消" okButtonProps={{ danger: true, loading: send.isPending }} onOk={() => form.submit()} onCancel={onClose} destroyOnHidden>
      <p>{wrongText(of)}</p>
      <p>{consequenceOf(of)}超过额度时由另一位同事复核后执行；执行前逐单再核对，期间已退款或改价的订单不处理，并逐单说明。</p>
      <Form<Fields> form={form} layout="vertical" initialValues={{ to: 'original', reason: '' }} onFinish={finish}>
        <Form.Item name="to" label="支付渠道付的部分退到">
          <Radio.Group
            options={[
              { value: 'original', label: '原路退回' },
              { value: 'wallet', label: '退到钱包' },
            ]}
          />
        </Form.Item>
        <Form.Item name="reason" label="原因" rules={[{ required: true, whitespace: true, message: '请填写原因' }]}>
          <Input.TextArea autoSize={{ minRows: 2, maxRows: 4 }} maxLength={REASON_MAX} showCount placeholder="例如：禁停区画错位置，盖住了停车区" />
        </Form.Item>
      </Form>
    </Modal>
  )
}

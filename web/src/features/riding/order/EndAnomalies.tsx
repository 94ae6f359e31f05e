import { useQueryClient } from '@tanstack/react-query'
import { Form, Input, Modal, Table } from 'antd'
import { useState } from 'react'
import { command } from '@/api/client'
import { anomalyKindLabels } from '@/api/generated/labels'
import { labelOf } from '@/kit/choice'
import { formatMoney, formatTime } from '@/kit/format'
import { type Fate, runBatches, summaryOf } from '@/kit/list/batch'
import { Outcomes } from '@/kit/list/useBatch'
import { anomaliesStale, CLOSE_PATH, ENDED_AT_ONCE, type OrderAnomaly, savedBy } from './anomaly'
import { REASON_MAX } from './order'

const columns = [
  { key: 'orderId', title: '订单号', render: (_: unknown, it: OrderAnomaly) => <span className="figure">{it.orderId}</span> },
  { key: 'carId', title: '车辆', render: (_: unknown, it: OrderAnomaly) => it.carId },
  { key: 'kind', title: '异常', render: (_: unknown, it: OrderAnomaly) => labelOf(anomalyKindLabels, it.kind) },
  { key: 'endAt', title: '结束时间', render: (_: unknown, it: OrderAnomaly) => <span className="figure">{formatTime(it.endAt)}</span> },
  { key: 'would', title: '至今费用', align: 'right' as const, render: (_: unknown, it: OrderAnomaly) => formatMoney(it.wouldCents) },
  { key: 'end', title: '结束后费用', align: 'right' as const, render: (_: unknown, it: OrderAnomaly) => formatMoney(it.endCents) },
  { key: 'saved', title: '减免', align: 'right' as const, render: (_: unknown, it: OrderAnomaly) => formatMoney(it.savedCents) },
]

/** Asks before strange orders are ended, each with its end and its money; then shows what became of each. */
export function EndAnomalies({ rows, onClose }: { rows: readonly OrderAnomaly[]; onClose: (isDone: boolean) => void }) {
  const client = useQueryClient()
  const [form] = Form.useForm<{ reason: string }>()
  const [busy, setBusy] = useState(false)
  const [fates, setFates] = useState<readonly Fate[] | null>(null)
  const ends = new Map(rows.map(({ orderId, endAt }) => [orderId, endAt ?? 0]))
  const send = async ({ reason }: { reason: string }) => {
    setBusy(true)
    const run = (keys: string[]) => {
      const orders = keys.map((orderId) => ({ orderId, endAt: ends.get(orderId) ?? 0 }))
      return command.post(CLOSE_PATH)({ orders, reason: reason.trim() }, { quiet: true })
    }
    setFates(await runBatches([...ends.keys()], ENDED_AT_ONCE, run))
    setBusy(false)
    await Promise.all(anomaliesStale.map((queryKey) => client.invalidateQueries({ queryKey })))
  }
  const title = fates ? summaryOf(fates, '结束', '个订单') : `按真实时间结束 ${rows.length} 个订单？`
  return (
    <Modal
      open
      width={880}
      title={title}
      okText={fates ? '知道了' : '按真实时间结束'}
      cancelText="取消"
      cancelButtonProps={fates ? { hidden: true } : {}}
      okButtonProps={{ danger: fates === null, loading: busy }}
      onOk={() => (fates ? onClose(true) : form.submit())}
      onCancel={() => onClose(fates !== null)}
      destroyOnHidden
    >
      {fates ? (
        <Outcomes names={rows.map(({ orderId, carId }) => `订单 ${orderId} · ${carId}`)} fates={fates} verb="结束" />
      ) : (
        <div className="anomaly-close">
          <p>
            订单按下列时间结束并计费，合计为用户减免 <strong className="figure">{formatMoney(savedBy(rows))}</strong> 元；车辆关锁后可以再次租用。提交时会再核对一次，还车地点不确定的转入还车审核。
          </p>
          <Table<OrderAnomaly> size="small" rowKey="orderId" columns={columns} dataSource={[...rows]} pagination={false} scroll={{ x: 'max-content', y: 320 }} />
          <Form form={form} layout="vertical" initialValues={{ reason: '' }} onFinish={(fields) => void send(fields)}>
            <Form.Item name="reason" label="原因" rules={[{ required: true, whitespace: true, message: '请填写原因' }]}>
              <Input.TextArea autoSize={{ minRows: 2, maxRows: 4 }} maxLength={REASON_MAX} showCount placeholder="例如：设备失联，已与用户核实" />
            </Form.Item>
          </Form>
        </div>
      )}
    </Modal>
  )
}

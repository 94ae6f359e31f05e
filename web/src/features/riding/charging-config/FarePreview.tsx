import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Button, Checkbox, Form, InputNumber, Select, TimePicker } from 'antd'
import dayjs, { type Dayjs } from 'dayjs'
import { useState } from 'react'
import { serverNow } from '@/api/clock'
import { cardKindLabels, fareRuleLabels, returnClassLabels } from '@/api/generated/labels'
import { labelOf, numberedOptionsOf } from '@/kit/choice'
import { bare } from '@/kit/format'
import { LoadFailure } from '@/kit/LoadFailure'
import { Money } from '@/kit/Money'
import { clockOf } from './billing'
import type { Billing } from './config'
import { bodyOf, cardUnits, costOf, examples, quantityOf, type Tried, USUAL_RIDE } from './fare'

const places = numberedOptionsOf(returnClassLabels)
const cards = [{ value: 0, label: '没有' }, ...numberedOptionsOf(cardKindLabels).filter(({ value }) => value <= 4)]
const OUTSIDE = 1
const FREE_CENTS = 0

const shown = (minute: number) => dayjs(`2000-01-01 ${clockOf(minute)}`)
const minuteOf = (picked: Dayjs) => picked.hour() * 60 + picked.minute()

/** What any ride would cost by what the form says, each line of the receipt with its rule. Nothing is stored. */
export function FarePreview({ areaId, billing }: { areaId: string; billing: Billing | null }) {
  const [ride, setRide] = useState(USUAL_RIDE)
  const put = (change: Partial<Tried>) => setRide((before) => ({ ...before, ...change }))
  const number = (label: string, name: 'long' | 'km' | 'parkingM' | 'cardValue' | 'discount', suffix: string, max: number, precision = 0, min = 0) => (
    <Form.Item label={label}>
      <InputNumber aria-label={label} min={min} max={max} precision={precision} formatter={bare} suffix={suffix} value={ride[name]} onChange={(value) => value !== null && put({ [name]: value })} />
    </Form.Item>
  )
  const unit = cardUnits[ride.card]
  return (
    <section className="fare-preview" aria-label="费用试算">
      <h2>费用试算</h2>
      <p className="weak">按左侧填写的价格计算，保存前就能看到；不影响任何订单。</p>
      <div className="fare-examples">
        {examples.map(({ label, ride: example }) => (
          <Button key={label} size="small" onClick={() => setRide({ ...USUAL_RIDE, ...example })}>
            {label}
          </Button>
        ))}
      </div>
      <Form layout="vertical" component="div" className="fare-ride" size="small">
        <Form.Item label="开始时间">
          <TimePicker aria-label="开始时间" format="HH:mm" allowClear={false} needConfirm={false} value={shown(ride.startMin)} onChange={(picked) => picked && put({ startMin: minuteOf(picked) })} />
        </Form.Item>
        {number('骑行时长', 'long', '分钟', 40_000, 1)}
        {number('骑行里程', 'km', '公里', 900, 2)}
        <Form.Item label="还车位置">
          <Select aria-label="还车位置" value={ride.left} options={places} onChange={(left) => put({ left })} />
        </Form.Item>
        {ride.left === OUTSIDE && number('离最近站点', 'parkingM', '米', 100_000)}
        <Form.Item label="骑行卡">
          <Select aria-label="骑行卡" value={ride.card} options={cards} onChange={(card) => put({ card })} />
        </Form.Item>
        {unit && number('卡面值', 'cardValue', unit.unit, 10_000, 1)}
        {number('用户折扣', 'discount', '%', 100, 0, 1)}
        <Checkbox checked={ride.helmetMissing} onChange={({ target }) => put({ helmetMissing: target.checked })}>
          头盔未还
        </Checkbox>
      </Form>
      {billing === null ? <p className="weak">价格填写完整后显示试算结果。</p> : <Receipt areaId={areaId} billing={billing} ride={ride} />}
    </section>
  )
}

function Receipt({ areaId, billing, ride }: { areaId: string; billing: Billing; ride: Tried }) {
  // What was computed last stands there while the next one is.
  const query = useQuery({ ...costOf(bodyOf(areaId, billing, ride, serverNow())), placeholderData: keepPreviousData })
  if (query.isError) return <LoadFailure query={query} text="试算失败" />
  if (!query.data) return <p className="weak">正在计算…</p>
  const { receipt } = query.data
  return (
    <table className="fare-receipt" aria-label="费用明细" aria-busy={query.isPlaceholderData}>
      <tbody>
        {receipt.lines.map(({ rule, amountCents, quantity }) => (
          <tr key={`${rule}-${quantity}`}>
            <th scope="row">
              {labelOf(fareRuleLabels, rule)} <span className="weak figure">{quantityOf(rule, quantity)}</span>
            </th>
            <td>{amountCents === FREE_CENTS ? <span className="weak">0.00</span> : <Money cents={amountCents} />}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">应付（元）</th>
          <td>
            <strong>
              <Money cents={receipt.payCents} />
            </strong>
          </td>
        </tr>
        {receipt.heldBackCents > 0 && (
          <tr className="weak">
            <th scope="row">超过单笔上限，待人工确认</th>
            <td>
              <Money cents={receipt.heldBackCents} />
            </td>
          </tr>
        )}
      </tfoot>
    </table>
  )
}

import { Form, Input } from 'antd'
import { BandsField } from './BandsField'
import { type Band, bandsFault, type BillingFields, centsOf } from './billing'
import { Fields, MoneyItem, NumberItem } from './items'

const EXPLAIN_MAX = 500
const DAY_MINUTES = 1440

/** All that a ride's price follows from. */
export function BillingItems() {
  return (
    <>
      <Fields title="免费" says="时长和里程都不超过时，骑行不收费。">
        <NumberItem name="freeTimeS" label="免费时长" suffix="秒" min={0} max={86_400} />
        <NumberItem name="freeDistanceM" label="免费里程" suffix="米" min={0} max={100_000} />
      </Fields>
      <Fields title="时长" says="超出起步时长后按周期计费，不足一个周期按一个周期算。">
        <MoneyItem name="baseTime" label="起步价" />
        <NumberItem name="baseTimeMin" label="起步时长" suffix="分钟" min={0} max={DAY_MINUTES} precision={2} />
        <MoneyItem name="cycle" label="每周期价格" />
        <NumberItem name="cycleMin" label="计费周期" suffix="分钟" min={1} max={DAY_MINUTES} precision={2} />
      </Fields>
      <Form.Item
        name="bands"
        label="时段系数"
        extra="按每个周期开始的时刻取系数；没有列出的时段按 100%"
        rules={[
          {
            validator: (_, bands: Band[] = []) => {
              const fault = bandsFault(bands)
              return fault === null ? Promise.resolve() : Promise.reject(new Error(fault))
            },
          },
        ]}
      >
        <BandsField />
      </Form.Item>
      <Fields title="里程" says="不按里程收费时都填 0。">
        <MoneyItem name="baseDistance" label="起步里程费" />
        <NumberItem name="baseDistanceKm" label="起步里程" suffix="公里" min={0} max={100} precision={3} />
        <MoneyItem name="perKm" label="超出后每公里" />
      </Fields>
      <Fields title="封顶与折扣">
        <MoneyItem name="dayCap" label="日封顶" extra="每满 24 小时为一天，不满也算一天；0 为不封顶" />
        <NumberItem name="discountPercent" label="折扣" suffix="%" min={1} max={100} extra="所有用户支付的比例，100 为不打折" />
        <MoneyItem name="maxOrder" label="单笔上限" extra="超出的部分待人工确认后才收取" />
      </Fields>
      <Fields title="还车位置与头盔" says="骑行卡和折扣不抵扣这些费用；围栏自己定了费用的，按围栏收取。">
        <MoneyItem name="smallPenalty" label="站点外调度费（近）" />
        <Form.Item noStyle dependencies={['smallPenalty']}>
          {({ getFieldValue }) => <LargePenaltyItem least={centsOf(getFieldValue('smallPenalty') as BillingFields['smallPenalty'])} />}
        </Form.Item>
        <NumberItem name="largeDistanceM" label="远近分界" suffix="米" min={0} max={100_000} extra="到最近站点的距离" />
        <MoneyItem name="noStop" label="禁停区" />
        <MoneyItem name="noRide" label="禁行区" />
        <MoneyItem name="outOfService" label="服务区外" />
        <MoneyItem name="helmet" label="头盔未还" />
      </Fields>
      <Form.Item name="explain" label="计费说明" extra="骑行用户在用车前看到">
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 6 }} maxLength={EXPLAIN_MAX} showCount />
      </Form.Item>
    </>
  )
}

function LargePenaltyItem({ least }: { least: number | null }) {
  return <MoneyItem name="largePenalty" label="站点外调度费（远）" extra={least === null ? undefined : '不低于近距离的调度费'} />
}

import { Form } from 'antd'
import { BandsField } from '../charging-config/BandsField'
import { type Band, bandsFault } from '../charging-config/billing'
import { Fields, MoneyItem, NumberItem } from '../charging-config/items'

const DAY_MINUTES = 1440

/** How rides are billed while a discount card lasts. */
export function CardBillingItems() {
  return (
    <>
      <Fields title="优惠卡计费" says="有效期内开始的骑行按这里计费，比服务区计费更便宜时才使用；调度费、禁停区等费用和单笔上限仍按服务区。">
        <MoneyItem name="baseTime" label="起步价" />
        <NumberItem name="baseTimeMin" label="起步时长" suffix="分钟" min={0} max={DAY_MINUTES} precision={2} />
        <MoneyItem name="cycle" label="每周期价格" />
        <NumberItem name="cycleMin" label="计费周期" suffix="分钟" min={1} max={DAY_MINUTES} precision={2} />
        <MoneyItem name="baseDistance" label="起步里程费" />
        <NumberItem name="baseDistanceKm" label="起步里程" suffix="公里" min={0} max={100} precision={3} />
        <MoneyItem name="perKm" label="超出后每公里" />
        <MoneyItem name="dayCap" label="日封顶" extra="0 为不封顶" />
        <NumberItem name="freeTimeS" label="免费时长" suffix="秒" min={0} max={86_400} />
        <NumberItem name="freeDistanceM" label="免费里程" suffix="米" min={0} max={100_000} />
        <NumberItem name="discountPercent" label="折扣" suffix="%" min={1} max={100} extra="100 为不打折" />
      </Fields>
      <Form.Item
        name="bands"
        label="时段系数"
        extra="没有列出的时段按 100%"
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
    </>
  )
}

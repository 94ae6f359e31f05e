/** What a fence asks for or forbids: the fields that belong to its type. */
import { Checkbox, Form, InputNumber, Switch } from 'antd'
import { parseMoney } from '@/kit/format'
import { ChoiceItem } from '@/kit/record/ChoiceItem'
import { Pair } from '@/kit/record/items'
import { MoreItems } from '@/kit/record/MoreItems'
import { rule } from '@/kit/record/rule'
import { TextItem, TextsItem } from '@/kit/TextItems'
import { proofLabels } from './fence'
import { HoursField } from './HoursField'
import { daysOf, EVERY_DAY, type Hours, TOLERANCE_DEGREES, weekdayOptions } from './words'

const CAPACITY_MAX = 10_000
const BUFFER_MAX_M = 50
const PENALTY_MAX = 100_000n
const DEGREES_MAX = 359
const TOLERANCE_MAX = 90
const DIFFICULTY = { min: 0.1, max: 10, step: 0.1 }
const CODES_MAX = 100
const CODE_MAX = 32
const proofOptions = Object.entries(proofLabels).map(([value, label]) => ({ value: Number(value), label }))
const whole = { width: '100%' }

/** What most parking places, and most zones, do not say otherwise. */
export const USUAL_PARKING = { direction: null, toleranceDegrees: TOLERANCE_DEGREES, hours: null, difficulty: 1, rfidCodes: [] }
export const USUAL_BAN = { weekdays: daysOf(EVERY_DAY), hours: null }

export function ParkingItems() {
  return (
    <>
      <Pair>
        <Form.Item name="capacity" label="停放上限" rules={[{ required: true, message: '请输入停放上限' }]}>
          <InputNumber min={0} max={CAPACITY_MAX} precision={0} suffix="辆" style={whole} />
        </Form.Item>
        <Form.Item
          name="minKeep"
          label="保有下限"
          dependencies={['capacity']}
          rules={[
            { required: true, message: '请输入保有下限' },
            ({ getFieldValue }) => ({
              validator: (_, least: number) =>
                least > (getFieldValue('capacity') as number) ? Promise.reject(new Error('不能大于停放上限')) : Promise.resolve(),
            }),
          ]}
        >
          <InputNumber min={0} max={CAPACITY_MAX} precision={0} suffix="辆" style={whole} />
        </Form.Item>
      </Pair>
      <Pair>
        <Form.Item name="bufferM" label="缓冲距离" extra="边界外多少米以内仍算在区内" rules={[{ required: true, message: '请输入缓冲距离' }]}>
          <InputNumber min={0} max={BUFFER_MAX_M} step={1} suffix="米" style={whole} />
        </Form.Item>
        <Form.Item name="fullIsClosed" label="满桩禁停" required extra="停满后不能再还入" valuePropName="checked">
          <Switch />
        </Form.Item>
      </Pair>
      <ChoiceItem name="proofs" label="还车凭证" mode="multiple" none="没有选项" placeholder="不需要凭证" options={proofOptions} />
    </>
  )
}

/** What few parking places ask for. */
export function MoreParkingItems() {
  return (
    <MoreItems usual={USUAL_PARKING}>
      <Pair>
        <Form.Item name="direction" label="停车方向" extra="车身与正北的夹角，顺时针；留空则不限">
          <InputNumber min={0} max={DEGREES_MAX} precision={0} suffix="°" placeholder="不限" style={whole} />
        </Form.Item>
        <Form.Item
          name="toleranceDegrees"
          label="允许偏差"
          extra="车头或车尾朝向都算"
          dependencies={['direction']}
          rules={[
            ({ getFieldValue }) => ({ required: typeof getFieldValue('direction') === 'number', message: '请输入允许偏差' }),
          ]}
        >
          <InputNumber min={1} max={TOLERANCE_MAX} precision={0} suffix="°" style={whole} />
        </Form.Item>
      </Pair>
      <HoursItem label="开放时段" extra="时段之外还车不算停在区内" />
      <Form.Item name="difficulty" label="难度系数" extra="调度费乘以这个系数" rules={[{ required: true, message: '请输入难度系数' }]}>
        <InputNumber {...DIFFICULTY} style={whole} />
      </Form.Item>
      <TextsItem
        name="rfidCodes"
        label="射频编号"
        extra="输入后回车，也可以粘贴一列编号"
        placeholder="地面射频标签的编号"
        most={CODES_MAX}
        max={CODE_MAX}
        pattern={{ is: /^[\x21-\x7e]+$/, text: '只能是字母、数字和符号，不能有空格' }}
      />
    </MoreItems>
  )
}

export function BanItems() {
  return (
    <TextItem
      name="penalty"
      label="违停费用"
      extra="留空时按计费配置收取"
      rules={[rule((text) => text !== '' && (parseMoney(text) ?? PENALTY_MAX + 1n) > PENALTY_MAX && '请输入 0 到 1000 元，最多两位小数')]}
      placeholder="按计费配置"
      suffix="元"
      inputMode="decimal"
    />
  )
}

/** When few zones do not count. */
export function MoreBanItems() {
  return (
    <MoreItems usual={USUAL_BAN}>
      <Form.Item name="weekdays" label="生效星期" rules={[{ required: true, type: 'array', min: 1, message: '请至少选择一天' }]}>
        <Checkbox.Group options={weekdayOptions} />
      </Form.Item>
      <HoursItem label="生效时段" extra="时段之外不限制停车或骑行" />
    </MoreItems>
  )
}

function HoursItem({ label, extra }: { label: string; extra: string }) {
  const differs = (_: unknown, hours: Hours | null | undefined) =>
    hours && hours.fromMin === hours.untilMin ? Promise.reject(new Error('开始和结束时间不能相同')) : Promise.resolve()
  return (
    <Form.Item name="hours" label={label} extra={extra} rules={[{ validator: differs }]}>
      <HoursField />
    </Form.Item>
  )
}

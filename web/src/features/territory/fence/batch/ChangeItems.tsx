/** What is to be otherwise of many parking places: each field leaves what each one has until somebody says otherwise. */
import { Checkbox, Form, InputNumber, Segmented, Select } from 'antd'
import { Pair } from '@/kit/record/items'
import { TextsItem } from '@/kit/TextItems'
import { proofLabels } from '../fence'
import { HoursField } from '../HoursField'
import { type CapacityWay, capacityBounds, capacityWays, type HoursWay, PROOFS } from './change'

const whole = { width: '100%' }
const KEPT = '不改'
const TAGS_MAX = 10
const TAG_MAX = 10
const MIN_KEEP_MAX = 10_000
const BUFFER_MAX_M = 50
const TOLERANCE_MAX = 90
const switchings = [
  { value: 'keep', label: KEPT },
  { value: 'on', label: '要求' },
  { value: 'off', label: '不要求' },
]
const closings = [
  { value: 'keep', label: KEPT },
  { value: 'on', label: '开' },
  { value: 'off', label: '关' },
]
const hoursWays = [
  { value: 'keep', label: KEPT },
  { value: 'all', label: '全天' },
  { value: 'part', label: '分时段' },
]

export function ChangeItems() {
  const way = (Form.useWatch<CapacityWay | undefined>('capacityWay') ?? 'keep')
  const hoursWay = Form.useWatch<HoursWay | undefined>('hoursWay')
  const changesTags = Form.useWatch<boolean | undefined>('changeTags')
  return (
    <>
      <Pair>
        <Form.Item name="capacityWay" label="停放上限">
          <Select options={[...capacityWays]} />
        </Form.Item>
        {way !== 'keep' && (
          <Form.Item
            name="capacity"
            label={way === 'to' ? '改为' : '增减'}
            extra={way === 'percent' ? '按各站现在的上限，四舍五入' : undefined}
            rules={[
              { required: true, message: '请输入数量' },
              { validator: (_, number?: number) => (way !== 'to' && number === 0 ? Promise.reject(new Error('不能为 0')) : Promise.resolve()) },
            ]}
          >
            <InputNumber min={capacityBounds[way].min} max={capacityBounds[way].max} precision={0} suffix={capacityBounds[way].suffix} style={whole} />
          </Form.Item>
        )}
      </Pair>
      <Pair>
        <Form.Item name="minKeep" label="保有下限">
          <InputNumber min={0} max={MIN_KEEP_MAX} precision={0} suffix="辆" placeholder={KEPT} style={whole} />
        </Form.Item>
        <Form.Item name="bufferM" label="缓冲距离">
          <InputNumber min={0} max={BUFFER_MAX_M} step={1} suffix="米" placeholder={KEPT} style={whole} />
        </Form.Item>
      </Pair>
      <div className="batch-switches">
        <Form.Item name="fullIsClosed" label="满桩禁停">
          <Segmented options={closings} />
        </Form.Item>
        {PROOFS.map((proof) => (
          <Form.Item key={proof} name={['proofs', String(proof)]} label={proofLabels[proof]}>
            <Segmented options={switchings} />
          </Form.Item>
        ))}
      </div>
      <Pair>
        <Form.Item name="toleranceDegrees" label="停车方向允许偏差">
          <InputNumber min={1} max={TOLERANCE_MAX} precision={0} suffix="°" placeholder={KEPT} style={whole} />
        </Form.Item>
        <Form.Item name="hoursWay" label="开放时段">
          <Segmented options={hoursWays} />
        </Form.Item>
      </Pair>
      {hoursWay === 'part' && (
        <Form.Item
          name="hours"
          label="时段"
          rules={[
            {
              validator: (_, hours: { fromMin: number; untilMin: number } | null) =>
                hours && hours.fromMin === hours.untilMin ? Promise.reject(new Error('开始和结束时间不能相同')) : Promise.resolve(),
            },
          ]}
        >
          <HoursField />
        </Form.Item>
      )}
      <Form.Item name="changeTags" valuePropName="checked">
        <Checkbox>替换标签</Checkbox>
      </Form.Item>
      {changesTags && <TextsItem name="tags" label="标签" extra="取代各站现在的标签；留空则清空" placeholder="输入后回车" most={TAGS_MAX} max={TAG_MAX} />}
    </>
  )
}

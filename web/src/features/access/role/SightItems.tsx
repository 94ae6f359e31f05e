import { Checkbox, Form } from 'antd'
import { TextsItem } from '@/kit/TextItems'
import { RANGES_MAX, rangeOf, ridingStates } from './sight'

const isRange = { is: { test: (text: string) => rangeOf(text) !== undefined }, text: '应为一个编号，或位数相同的“起始~结束”' }

/** Which bikes the holders of a role see. */
export function SightItems() {
  return (
    <>
      <TextsItem
        name="ranges"
        label="可见车辆编号"
        extra="不填则可见全部编号。限制对地图、列表、搜索、订单和实时推送同时生效；持有多个角色的人，可见范围取并集"
        placeholder="例如：04A100~04A199，回车添加，可粘贴多段"
        most={RANGES_MAX}
        max={90}
        pattern={isRange}
      />
      <Form.Item name="ridingStates" label="可见车辆状态" extra="不选则可见全部状态；只限制实时数据，历史记录不受影响">
        <Checkbox.Group options={ridingStates} />
      </Form.Item>
    </>
  )
}

import { Checkbox, Form, Select } from 'antd'
import { schemesToSee, useSchemes } from '@/kit/schemeChoices'
import { TextsItem } from '@/kit/TextItems'
import { RANGES_MAX, rangeOf, ridingStates, SCHEMES_MAX } from './sight'

const isRange = { is: { test: (text: string) => rangeOf(text) !== undefined }, text: '应为一个编号，或位数相同的“起始~结束”' }

/** Which bikes the holders of a role see. */
export function SightItems({ original }: { original: readonly string[] }) {
  const { may, schemes, isFetching } = useSchemes()
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
      {may && (
        <Form.Item
          name="voltageSchemeIds"
          label="可见电压方案"
          extra="不选则可见全部车辆；选择后只可见绑定了这些方案的车辆，未设置方案的车辆不可见。只限制实时数据"
          rules={[{ type: 'array', max: SCHEMES_MAX, message: `最多选择 ${SCHEMES_MAX} 个方案` }]}
        >
          <Select
            mode="multiple"
            allowClear
            loading={isFetching}
            placeholder="例如：只看 48V 锂电的换电人员"
            showSearch={{ optionFilterProp: 'label' }}
            options={schemesToSee(schemes, original)}
          />
        </Form.Item>
      )}
    </>
  )
}

import { Collapse, Form, Segmented, Switch } from 'antd'
import { effectLabels } from '@/api/generated/labels'
import { numberedOptionsOf } from '@/kit/choice'
import { Fields, NumberItem } from './items'
import { proofs, switches, weights } from './returning'

const effects = numberedOptionsOf(effectLabels)

/** Where and how a ride may end. */
export function ReturnItems() {
  return (
    <>
      <fieldset className="config-fields">
        <legend>还车位置与要求</legend>
        <div className="config-switches">
          {switches.map(([name, label, says]) => (
            <Form.Item key={name} name={name} label={label} required extra={says} valuePropName="checked" layout="horizontal" colon={false}>
              <Switch />
            </Form.Item>
          ))}
        </div>
      </fieldset>
      <Fields title="还车校验" says="“提示”只提醒用户，“强制”须通过校验才能还车。">
        {proofs.map(([name, label]) => (
          <Form.Item key={name} name={name} label={label} required>
            <Segmented options={effects} />
          </Form.Item>
        ))}
        <NumberItem name="cameraAngleDegrees" label="摄像头角度" suffix="°" min={0} max={90} extra="车身允许偏离站点方向的角度" />
        <NumberItem name="cameraImpunityCount" label="免罚次数" suffix="次" min={0} max={100} extra="每位用户凭还车照片免除调度费的次数" />
      </Fields>
      <Fields title="还车确定度" says="多项证据合成一个确定度；低于门槛的不自动收取位置费用，先由人工确认。">
        <NumberItem name={['certainty', 'chargeFromPercent']} label="扣费确定度" suffix="%" min={50} max={99} extra="达到后才自动收取；只有一项佐证时不超过 98%，低于 99% 即按一项佐证收取" />
      </Fields>
      <Collapse
        ghost
        items={[
          {
            key: 'weights',
            label: '证据权重与定位误差',
            forceRender: true,
            children: (
              <div className="config-grid">
                {weights.map(([key, label, suffix, min, max]) => (
                  <NumberItem key={key} name={['certainty', key]} label={label} suffix={suffix} min={min} max={max} />
                ))}
              </div>
            ),
          },
        ]}
      />
    </>
  )
}

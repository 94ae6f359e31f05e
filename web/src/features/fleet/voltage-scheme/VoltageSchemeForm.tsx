import { Form, InputNumber } from 'antd'
import { command } from '@/api/client'
import { chemistryLabels, nominalVoltsLabels, schemeStateLabels } from '@/api/generated/labels'
import { numberedOptionsOf } from '@/kit/choice'
import { ChoiceItem } from '@/kit/record/ChoiceItem'
import { Pair } from '@/kit/record/items'
import { RecordForm } from '@/kit/record/RecordForm'
import { NameItem } from '@/kit/TextItems'
import { useAgentChoices } from '@/kit/useAgentChoices'
import { useCommand } from '@/kit/useCommand'
import { PointsField } from './PointsField'
import { bodyOf, fieldsOf, MILEAGE_MAX_KM, NAME_MAX, pointsFault, type PointTyped, SCHEME_PATH, type SchemeFields, stale, type VoltageScheme } from './voltageScheme'

const fieldOf = {
  'voltage-scheme-name': 'name',
  'voltage-scheme-name-taken': 'name',
  'voltage-scheme-points': 'points',
  'voltage-scheme-mileage': 'maxMileageKm',
  'voltage-scheme-thresholds': 'enoughPercent',
}
const required = (label: string) => [{ required: true, message: `请输入${label}` }]

interface VoltageSchemeFormProps {
  /** The scheme to change; none to add one. */
  scheme?: VoltageScheme
  onSaved(): void
}

/** Adds or changes a voltage scheme. */
export function VoltageSchemeForm({ scheme, onSaved }: VoltageSchemeFormProps) {
  const create = useCommand({ run: command.post(SCHEME_PATH), stale, done: '电压方案已新增', fieldOf })
  const change = useCommand({ run: command.put(SCHEME_PATH), stale, done: '电压方案已保存', fieldOf })
  const original = fieldsOf(scheme)
  const save = (fields: SchemeFields) =>
    scheme
      ? change.mutateAsync({ ...bodyOf(fields), id: scheme.id, version: scheme.version })
      : create.mutateAsync({ ...bodyOf(fields), ...(fields.agentId ? { agentId: fields.agentId } : {}) })
  return (
    <RecordForm<SchemeFields> draft={['voltage_scheme', scheme?.id, scheme?.version]} original={original} fieldOf={fieldOf} onSave={(fields) => save(fields).then(onSaved)}>
      <NameItem name="name" label="方案名称" max={NAME_MAX} placeholder="例如：48V 磷酸铁锂 24Ah" showCount />
      {!scheme && <OwnerItem />}
      <Pair>
        <ChoiceItem name="nominalV" label="标称电压" required none="没有可选的电压" options={numberedOptionsOf(nominalVoltsLabels)} />
        <ChoiceItem name="chemistry" label="电芯" required none="没有可选的电芯" options={numberedOptionsOf(chemistryLabels)} />
      </Pair>
      <Form.Item
        name="points"
        label="电压电量表"
        required
        dependencies={['nominalV']}
        extra="按电池静置时的电压填写，两点之间按直线推算；从 0% 到 100%，电压和电量一起升高"
        rules={[
          ({ getFieldValue }) => ({
            validator: (_, points: readonly PointTyped[] = []) => {
              const fault = pointsFault(points, Number(getFieldValue('nominalV')))
              return fault === null ? Promise.resolve() : Promise.reject(new Error(fault))
            },
          }),
        ]}
      >
        <PointsField />
      </Form.Item>
      <Pair>
        <Form.Item name="maxMileageKm" label="满电里程" extra="剩余里程 = 电量 × 满电里程" rules={required('满电里程')}>
          <InputNumber min={1} max={MILEAGE_MAX_KM} precision={0} suffix="公里" />
        </Form.Item>
        <ChoiceItem name="state" label="状态" required none="没有可选的状态" extra="停用后不能再绑定车辆，已绑定的不变" options={numberedOptionsOf(schemeStateLabels)} />
      </Pair>
      <Pair>
        <Form.Item name="lowPercent" label="低电阈值" extra="电量不高于它为低电" rules={required('低电阈值')}>
          <InputNumber min={1} max={99} precision={0} suffix="%" />
        </Form.Item>
        <Form.Item
          name="enoughPercent"
          label="充足阈值"
          extra="电量不低于它为充足"
          dependencies={['lowPercent']}
          rules={[
            ...required('充足阈值'),
            ({ getFieldValue }) => ({
              validator: (_, enough: number | null) => {
                const low = getFieldValue('lowPercent') as number | null
                return enough === null || low === null || enough > low ? Promise.resolve() : Promise.reject(new Error('充足阈值须高于低电阈值'))
              },
            }),
          ]}
        >
          <InputNumber min={2} max={100} precision={0} suffix="%" />
        </Form.Item>
      </Pair>
    </RecordForm>
  )
}

/** Whose it is, for who reaches several agents; for all others it is their own's, and nothing is asked. */
function OwnerItem() {
  const agents = useAgentChoices()
  if ((agents.data?.length ?? 0) < 2) return null
  return (
    <ChoiceItem
      name="agentId"
      label="所属代理"
      extra="不选则归平台，各代理的车辆都可以使用"
      allowClear
      placeholder="平台"
      none="没有可选择的代理"
      query={agents}
      options={(agents.data ?? []).map(({ agentId, company }) => ({ value: agentId, label: company }))}
    />
  )
}

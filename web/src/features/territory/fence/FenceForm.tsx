import { useQuery } from '@tanstack/react-query'
import { Form, InputNumber, Skeleton, Switch } from 'antd'
import { lazy, Suspense } from 'react'
import { command } from '@/api/client'
import { areasOf } from '@/kit/areaChoices'
import { formatMoney, parseMoney } from '@/kit/format'
import { ChoiceItem } from '@/kit/record/ChoiceItem'
import { Pair } from '@/kit/record/items'
import { RecordForm } from '@/kit/record/RecordForm'
import { rule } from '@/kit/record/rule'
import { NameItem, RemarkItem, TextItem } from '@/kit/TextItems'
import { useCommand } from '@/kit/useCommand'
import { type Fence, type FenceType, type Geometry, isBan, proofLabels, stale, typeLabels } from './fence'

// The map comes with the form, not with the list.
const DrawField = lazy(() => import('./DrawField'))

interface Fields {
  opAreaId: string | undefined
  name: string
  geometry: Geometry | null
  capacity: number
  minKeep: number
  bufferM: number
  fullIsClosed: boolean
  proofs: number[]
  /** Yuan; empty: as the billing configuration says. */
  penalty: string
  tags: string[]
  remark: string
}

interface FenceFormProps {
  type: FenceType
  /** The fence to draw anew; none to draw one. */
  fence?: Fence
  onSaved(): void
}

const fieldOf = { 'fence-name-taken': 'name', 'fence-name': 'name', ring: 'geometry', 'fence-outside-area': 'geometry', 'fence-tags': 'tags' }
const NAME_MAX = 30
const REMARK_MAX = 200
const TAGS_MAX = 10
const CAPACITY_MAX = 10_000
const BUFFER_MAX_M = 50
const PENALTY_MAX = 100_000n
const proofOptions = Object.entries(proofLabels).map(([value, label]) => ({ value: Number(value), label }))

/** What the form does not ask for. */
const PLAIN_PARKING = { direction: null, hours: null, difficulty: 1, rfidCodes: [] }
const PLAIN_BAN = { weekdays: 0b111_1111, hours: null }

function originalOf(fence: Fence | undefined): Fields {
  const { parking, ban } = fence ?? {}
  const penalty = ban?.penaltyCents
  return {
    opAreaId: fence?.opAreaId,
    name: fence?.name ?? '',
    geometry: fence?.geometry ?? null,
    capacity: parking?.capacity ?? 50,
    minKeep: parking?.minKeep ?? 0,
    bufferM: parking?.bufferM ?? 10,
    fullIsClosed: parking?.fullIsClosed ?? false,
    proofs: parking?.proofs ?? [],
    penalty: penalty === null || penalty === undefined ? '' : formatMoney(penalty).replaceAll(',', ''),
    tags: fence?.tags ?? [],
    remark: fence?.remark ?? '',
  }
}

/** Draws a fence or draws it anew. What is saved is a draft: it counts when it is published. */
export function FenceForm({ type, fence, onSaved }: FenceFormProps) {
  const create = useCommand({ run: command.post('/fence'), stale, done: '草稿已保存，发布后生效', fieldOf })
  const change = useCommand({ run: command.put('/fence'), stale, done: '草稿已保存，发布后生效', fieldOf })
  const [form] = Form.useForm<Fields>()
  const areas = useQuery({ ...areasOf([]), enabled: !fence })
  const original = originalOf(fence)
  const areaId = Form.useWatch('opAreaId', form) ?? original.opAreaId
  const label = typeLabels[type]
  const save = ({ opAreaId = '', name, geometry, penalty, tags, remark, ...parking }: Fields) => {
    // The rule of the field lets nothing else pass.
    const edge = geometry as Geometry
    const drawn = {
      name,
      geometry: edge,
      draft: true,
      tags,
      remark,
      ...(type === 'parking' ? { parking: { ...PLAIN_PARKING, ...fence?.parking, ...parking } } : {}),
      ...(isBan(type) ? { ban: { ...PLAIN_BAN, ...fence?.ban, penaltyCents: penalty === '' ? null : Number(parseMoney(penalty) ?? 0n) } } : {}),
    }
    return fence ? change.mutateAsync({ ...drawn, id: fence.id, version: fence.version }) : create.mutateAsync({ ...drawn, type, opAreaId })
  }
  return (
    <RecordForm<Fields>
      draft={[`fence_${type}`, fence?.id, fence?.version]}
      form={form}
      original={original}
      fieldOf={fieldOf}
      onSave={(fields) => save(fields).then(onSaved)}
    >
      {!fence && (
        <ChoiceItem
          name="opAreaId"
          label="服务区"
          rules={[{ required: true, message: '请选择服务区' }]}
          query={areas}
          none="没有可以选择的服务区"
          placeholder={`${label}属于哪个服务区`}
          options={(areas.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
      <NameItem name="name" label="名称" max={NAME_MAX} extra="同一服务区内不能重名" showCount />
      <Form.Item name="geometry" label="边界" rules={[{ required: true, message: '请在地图上画出边界' }]}>
        <Edge areaId={areaId} fenceId={fence?.id} />
      </Form.Item>
      {type === 'parking' && <ParkingItems />}
      {isBan(type) && (
        <TextItem
          name="penalty"
          label="违停费用"
          extra="留空时按计费配置收取"
          rules={[rule((text) => text !== '' && (parseMoney(text) ?? PENALTY_MAX + 1n) > PENALTY_MAX && '请输入 0 到 1000 元，最多两位小数')]}
          placeholder="按计费配置"
          suffix="元"
          inputMode="decimal"
        />
      )}
      <ChoiceItem
        name="tags"
        label="标签"
        mode="tags"
        rules={[{ type: 'array', max: TAGS_MAX, message: `最多 ${TAGS_MAX} 个标签` }]}
        none="输入后回车"
        placeholder="例如：地铁口"
      />
      <RemarkItem max={REMARK_MAX} />
    </RecordForm>
  )
}

interface EdgeProps {
  areaId: string | undefined
  fenceId: string | undefined
  value?: Geometry | null
  onChange?(geometry: Geometry | null): void
}

/** The field itself: the form gives value and change to its child, whatever is still loading below. */
function Edge(props: EdgeProps) {
  return (
    <Suspense fallback={<Skeleton.Node active className="fence-draw-wait" />}>
      <DrawField {...props} />
    </Suspense>
  )
}

function ParkingItems() {
  return (
    <>
      <Pair>
        <Form.Item name="capacity" label="停放上限" rules={[{ required: true, message: '请输入停放上限' }]}>
          <InputNumber min={0} max={CAPACITY_MAX} precision={0} suffix="辆" style={{ width: '100%' }} />
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
          <InputNumber min={0} max={CAPACITY_MAX} precision={0} suffix="辆" style={{ width: '100%' }} />
        </Form.Item>
      </Pair>
      <Pair>
        <Form.Item name="bufferM" label="缓冲距离" extra="边界外多少米以内仍算在区内" rules={[{ required: true, message: '请输入缓冲距离' }]}>
          <InputNumber min={0} max={BUFFER_MAX_M} step={1} suffix="米" style={{ width: '100%' }} />
        </Form.Item>
        <Form.Item name="fullIsClosed" label="满桩禁停" extra="停满后不能再还入" valuePropName="checked">
          <Switch />
        </Form.Item>
      </Pair>
      <ChoiceItem name="proofs" label="还车凭证" mode="multiple" none="没有选项" placeholder="不需要凭证" options={proofOptions} />
    </>
  )
}

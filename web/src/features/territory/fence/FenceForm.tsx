import { useQuery } from '@tanstack/react-query'
import { Alert, Form, Input, Skeleton } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { command, failureText } from '@/api/client'
import { areasOf } from '@/kit/areaChoices'
import { ChoiceItem } from '@/kit/record/ChoiceItem'
import { RecordForm } from '@/kit/record/RecordForm'
import { NameItem, RemarkItem, TextsItem } from '@/kit/TextItems'
import { useCommand } from '@/kit/useCommand'
import type { Datum } from '@/map/datum'
import { type Fence, type FenceType, type FenceTypes, type Geometry, isBan, stale, typeLabels } from './fence'
import { drawnOf, fieldOf, type Fields, originalOf } from './fields'
import { NAME_MAX, nameOfPiece, NO_PLAN, type Plan } from './plan'
import { BanItems, MoreBanItems, MoreParkingItems, ParkingItems } from './RuleItems'
import { useMergedAsked } from './useMergedAsked'

// The map comes with the form, not with the list.
const DrawField = lazy(() => import('./DrawField'))

/** What a new fence begins as, and the station application that it is drawn for. */
export interface FenceStart {
  opAreaId: string
  name: string
  geometry: Geometry
  parkApplicationId: string
}

interface FenceFormProps {
  /** Of these a new one is. */
  types: FenceTypes
  /** The fence to draw anew; none to draw one. */
  fence?: Fence
  /** What a new one begins as; empty when absent. */
  start?: FenceStart
  onSaved(): void
}

const REMARK_MAX = 200
const TAGS_MAX = 10
const TAG_MAX = 10

/** Draws a fence or draws it anew. What is saved is a draft: it counts when it is published. */
export function FenceForm({ types, fence, start, onSaved }: FenceFormProps) {
  const create = useCommand({ run: command.post('/fence'), stale, done: '草稿已保存，发布后生效', fieldOf })
  const change = useCommand({ run: command.put('/fence'), stale, done: '草稿已保存，发布后生效', fieldOf })
  const cutOff = useCommand({ run: command.post('/fence'), stale, fieldOf })
  const askMerged = useMergedAsked()
  const [notice, setNotice] = useState<string | null>(null)
  const [form] = Form.useForm<Fields>()
  const areas = useQuery({ ...areasOf([]), enabled: !fence })
  const { parkApplicationId, ...begun } = start ?? {}
  const original = { ...originalOf(fence?.type ?? types[0], fence), ...begun }
  const areaId = Form.useWatch('opAreaId', form) ?? original.opAreaId
  const type = Form.useWatch('type', form) ?? original.type
  const datum = Form.useWatch('datum', form) ?? original.datum
  const name = Form.useWatch('name', form) ?? original.name
  const plan = Form.useWatch('plan', form) ?? original.plan
  const replan = (next: Plan) => form.setFieldValue('plan', next)

  // Pieces go first: while one of them is not saved, the fence still covers it.
  const savePieces = async (fields: Fields): Promise<Plan> => {
    let { plan } = fields
    for (const [index, piece] of plan.pieces.entries()) {
      if (piece.id !== undefined) continue
      const named = nameOfPiece(piece, fields.name, index)
      const drawn = drawnOf({ ...fields, name: named, geometry: piece.geometry })
      try {
        // oxlint-disable-next-line no-await-in-loop -- one after the other: the first that fails ends it
        const { id } = await cutOff.mutateAsync({ ...drawn, type: fields.type, opAreaId: fields.opAreaId ?? '', parkApplicationId: null })
        plan = { ...plan, pieces: plan.pieces.with(index, { ...piece, name: named, id }) }
        replan(plan)
      } catch (error) {
        setNotice(`${savedOf(plan)}分出的「${named}」没有保存：${failureText(error)}；本围栏也没有保存，改正后再次保存即可`)
        throw new Error('a piece was not saved', { cause: error })
      }
    }
    return plan
  }
  const saveFence = (fields: Fields) => {
    const drawn = drawnOf(fields)
    if (fence) return change.mutateAsync({ ...drawn, id: fence.id, version: fence.version })
    return create.mutateAsync({ ...drawn, type: fields.type, opAreaId: fields.opAreaId ?? '', parkApplicationId: parkApplicationId ?? null })
  }
  const save = async (fields: Fields) => {
    setNotice(null)
    const saved = await savePieces(fields)
    try {
      await saveFence(fields)
    } catch (error) {
      if (saved.pieces.length > 0) setNotice(`${savedOf(saved)}本围栏没有保存：${failureText(error)}；改正后再次保存，不会重复新建`)
      throw error
    }
    replan(NO_PLAN)
    void askMerged(saved.merged, fields.name)
  }
  return (
    <RecordForm<Fields>
      draft={start ? ['fence_application', parkApplicationId, 0] : [`fence_${types[0]}`, fence?.id, fence?.version]}
      form={form}
      original={original}
      fieldOf={fieldOf}
      onSave={(fields) => save(fields).then(onSaved)}
    >
      {!fence && types.length > 1 && (
        <ChoiceItem
          name="type"
          label="类型"
          extra="保存后不能改变"
          rules={[{ required: true, message: '请选择类型' }]}
          none="没有类型"
          showSearch={false}
          options={types.map((value) => ({ value, label: typeLabels[value] }))}
        />
      )}
      {!fence && (
        <ChoiceItem
          name="opAreaId"
          label="服务区"
          rules={[{ required: true, message: '请选择服务区' }]}
          query={areas}
          none="没有可以选择的服务区"
          placeholder={`${typeLabels[type]}属于哪个服务区`}
          options={(areas.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
      <NameItem name="name" label="名称" max={NAME_MAX} extra="同一服务区内不能重名" showCount />
      <Form.Item name="datum" hidden>
        <Input />
      </Form.Item>
      <Form.Item name="plan" hidden>
        <Kept />
      </Form.Item>
      {notice !== null && <Alert className="notice" type="error" showIcon title={notice} />}
      <Form.Item name="geometry" label="边界" rules={[{ required: true, message: '请在地图上画出边界' }]}>
        <Edge
          areaId={areaId}
          fenceId={fence?.id}
          type={type}
          name={name}
          plan={plan}
          onPlan={replan}
          datum={datum}
          onDatum={(typed) => form.setFieldValue('datum', typed)}
        />
      </Form.Item>
      {type === 'parking' && <ParkingItems />}
      {isBan(type) && <BanItems />}
      <TextsItem name="tags" label="标签" placeholder="输入后回车，例如：地铁口" most={TAGS_MAX} max={TAG_MAX} />
      <RemarkItem max={REMARK_MAX} />
      {type === 'parking' && <MoreParkingItems />}
      {isBan(type) && <MoreBanItems />}
    </RecordForm>
  )
}

/** What of the pieces stands already, in words. */
function savedOf({ pieces }: Plan): string {
  const saved = pieces.flatMap(({ id, name }) => (id === undefined ? [] : [`「${name}」`]))
  return saved.length === 0 ? '' : `分出的${saved.join('')}已存为草稿；`
}

/** A field that is seen elsewhere. */
function Kept() {
  return null
}

interface EdgeProps {
  areaId: string | undefined
  fenceId: string | undefined
  type: FenceType
  name: string
  plan: Plan
  onPlan(plan: Plan): void
  datum: Datum
  onDatum(datum: Datum): void
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

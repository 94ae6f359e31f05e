import { useQuery } from '@tanstack/react-query'
import { Form, Input, Skeleton } from 'antd'
import { lazy, Suspense } from 'react'
import { command } from '@/api/client'
import { areasOf } from '@/kit/areaChoices'
import { formatMoney, parseMoney } from '@/kit/format'
import { ChoiceItem } from '@/kit/record/ChoiceItem'
import { RecordForm } from '@/kit/record/RecordForm'
import { NameItem, RemarkItem, TextsItem } from '@/kit/TextItems'
import { useCommand } from '@/kit/useCommand'
import type { Datum } from '@/map/datum'
import { type Fence, type FenceType, type FenceTypes, type Geometry, isBan, stale, typeLabels } from './fence'
import { converted } from './geometry'
import { BanItems, MoreBanItems, MoreParkingItems, ParkingItems, USUAL_BAN, USUAL_PARKING } from './RuleItems'
import { daysOf, type Hours, TOLERANCE_DEGREES, weekdaysOf } from './words'

// The map comes with the form, not with the list.
const DrawField = lazy(() => import('./DrawField'))

interface Fields {
  type: FenceType
  opAreaId: string | undefined
  name: string
  /** WGS-84. */
  geometry: Geometry | null
  /** What it was drawn in. */
  datum: Datum
  capacity: number
  minKeep: number
  bufferM: number
  fullIsClosed: boolean
  proofs: number[]
  direction: number | null
  toleranceDegrees: number | null
  /** When a parking place is open, or a zone counts; null: all day. */
  hours: Hours | null
  difficulty: number
  rfidCodes: string[]
  /** Yuan; empty: as the billing configuration says. */
  penalty: string
  /** Monday is 0. */
  weekdays: number[]
  tags: string[]
  remark: string
}

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

const fieldOf = {
  'area-unknown': 'opAreaId',
  'fence-name-taken': 'name',
  'fence-name': 'name',
  ring: 'geometry',
  'fence-outside-area': 'geometry',
  'fence-capacity': 'capacity',
  'fence-min-keep': 'minKeep',
  'fence-buffer': 'bufferM',
  'fence-direction': 'direction',
  'fence-hours': 'hours',
  'fence-difficulty': 'difficulty',
  'fence-rfid': 'rfidCodes',
  'fence-penalty': 'penalty',
  'fence-weekdays': 'weekdays',
  'fence-tags': 'tags',
  'fence-remark': 'remark',
}
const NAME_MAX = 30
const REMARK_MAX = 200
const TAGS_MAX = 10
const TAG_MAX = 10

function originalOf(type: FenceType, fence: Fence | undefined): Fields {
  const { parking, ban } = fence ?? {}
  const { direction } = parking ?? {}
  const penalty = ban?.penaltyCents
  return {
    type,
    opAreaId: fence?.opAreaId,
    name: fence?.name ?? '',
    geometry: fence?.geometry ?? null,
    // Of what Baidu's map shows nothing is typed here: it goes on in WGS-84.
    datum: fence?.datum === 'gcj02' ? 'gcj02' : 'wgs84',
    capacity: parking?.capacity ?? 50,
    minKeep: parking?.minKeep ?? 0,
    bufferM: parking?.bufferM ?? 10,
    fullIsClosed: parking?.fullIsClosed ?? false,
    proofs: parking?.proofs ?? [],
    direction: direction?.degrees ?? USUAL_PARKING.direction,
    toleranceDegrees: direction?.toleranceDegrees ?? USUAL_PARKING.toleranceDegrees,
    hours: parking?.hours ?? ban?.hours ?? null,
    difficulty: parking?.difficulty ?? USUAL_PARKING.difficulty,
    rfidCodes: parking?.rfidCodes ?? USUAL_PARKING.rfidCodes,
    penalty: penalty === null || penalty === undefined ? '' : formatMoney(penalty).replaceAll(',', ''),
    weekdays: ban?.weekdays === undefined ? USUAL_BAN.weekdays : daysOf(ban.weekdays),
    tags: fence?.tags ?? [],
    remark: fence?.remark ?? '',
  }
}

/** What is sent of the fields: those of its type, its edge in the datum that it was drawn in, as a draft. */
function drawnOf({ type, name, geometry, datum, penalty, weekdays, hours, tags, remark, ...fields }: Fields) {
  const { capacity, minKeep, bufferM, fullIsClosed, proofs, direction, toleranceDegrees, difficulty, rfidCodes } = fields
  // The rule of the field lets nothing else pass.
  const edge = geometry as Geometry
  const pointed = direction === null ? null : { degrees: direction, toleranceDegrees: toleranceDegrees ?? TOLERANCE_DEGREES }
  const parking = { capacity, minKeep, bufferM, fullIsClosed, proofs, direction: pointed, hours, difficulty, rfidCodes }
  const ban = { penaltyCents: penalty === '' ? null : Number(parseMoney(penalty) ?? 0n), weekdays: weekdaysOf(weekdays), hours }
  return {
    name,
    geometry: converted(edge, datum, 'out'),
    datum,
    draft: true,
    tags,
    remark,
    ...(type === 'parking' ? { parking } : {}),
    ...(isBan(type) ? { ban } : {}),
  }
}

/** Draws a fence or draws it anew. What is saved is a draft: it counts when it is published. */
export function FenceForm({ types, fence, start, onSaved }: FenceFormProps) {
  const create = useCommand({ run: command.post('/fence'), stale, done: '草稿已保存，发布后生效', fieldOf })
  const change = useCommand({ run: command.put('/fence'), stale, done: '草稿已保存，发布后生效', fieldOf })
  const [form] = Form.useForm<Fields>()
  const areas = useQuery({ ...areasOf([]), enabled: !fence })
  const { parkApplicationId, ...begun } = start ?? {}
  const original = { ...originalOf(fence?.type ?? types[0], fence), ...begun }
  const areaId = Form.useWatch('opAreaId', form) ?? original.opAreaId
  const type = Form.useWatch('type', form) ?? original.type
  const datum = Form.useWatch('datum', form) ?? original.datum
  const save = (fields: Fields) => {
    const drawn = drawnOf(fields)
    if (fence) return change.mutateAsync({ ...drawn, id: fence.id, version: fence.version })
    return create.mutateAsync({ ...drawn, type: fields.type, opAreaId: fields.opAreaId ?? '', parkApplicationId: parkApplicationId ?? null })
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
      <Form.Item name="geometry" label="边界" rules={[{ required: true, message: '请在地图上画出边界' }]}>
        <Edge areaId={areaId} fenceId={fence?.id} datum={datum} onDatum={(typed) => form.setFieldValue('datum', typed)} />
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

interface EdgeProps {
  areaId: string | undefined
  fenceId: string | undefined
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

import { useQuery } from '@tanstack/react-query'
import { Form, Input, InputNumber, Skeleton } from 'antd'
import { lazy, Suspense, useMemo } from 'react'
import { command } from '@/api/client'
import { areasOf } from '@/kit/areaChoices'
import { ChoiceItem } from '@/kit/record/ChoiceItem'
import { Pair } from '@/kit/record/items'
import { RecordForm } from '@/kit/record/RecordForm'
import { RemoteItem } from '@/kit/record/RemoteItem'
import { NameItem, RemarkItem, TextsItem } from '@/kit/TextItems'
import { useCommand } from '@/kit/useCommand'
import type { Datum } from '@/map/datum'
import type { Geometry } from '../fence/fence'
import { converted, ringOf } from '../fence/geometry'
import { CREW_PATH, type Kpi, type MaintenanceArea, neighboursOf, optionOf, peopleOf, type Post, posts, slas, stale } from './crew'

// The map comes with the form, not with the list.
const DrawField = lazy(() => import('../fence/DrawField'))

interface Fields extends Record<Post, string[]>, Kpi {
  opAreaId: string | undefined
  name: string
  /** WGS-84. */
  geometry: Geometry | null
  /** What it was drawn in. */
  datum: Datum
  maxParkingNumber: number
  tags: string[]
  remark: string
}

interface CrewFormProps {
  /** The area to change; none to draw one. */
  area?: MaintenanceArea
  onSaved(): void
}

const fieldOf = {
  'fence-name-taken': 'name',
  'fence-name': 'name',
  ring: 'geometry',
  'fence-outside-area': 'geometry',
  'maintain-overlap': 'geometry',
  'fence-tags': 'tags',
  'crew-no-leader': 'leaders',
  'crew-parking': 'maxParkingNumber',
}
const NAME_MAX = 30
const REMARK_MAX = 200
const TAGS_MAX = 10
const TAG_MAX = 10
const PEOPLE_MAX = 50
const PARKING_MAX = 100_000
const SLA_MAX_H = 240
/** A day for each, as the server takes it when nothing is said. */
const USUAL: Kpi = { swapSlaH: 24, moveSlaH: 24, repairSlaH: 24 }

const ids = (people: MaintenanceArea[Post] = []) => people.map(({ id }) => id)

function originalOf(area: MaintenanceArea | undefined): Fields {
  return {
    opAreaId: area?.opAreaId,
    name: area?.name ?? '',
    geometry: area?.geometry ?? null,
    // Of what Baidu's map shows nothing is typed here: it goes on in WGS-84.
    datum: area?.datum === 'gcj02' ? 'gcj02' : 'wgs84',
    leaders: ids(area?.leaders),
    checkers: ids(area?.checkers),
    maintainers: ids(area?.maintainers),
    changePowerPersons: ids(area?.changePowerPersons),
    moveCarPersons: ids(area?.moveCarPersons),
    ...(area?.kpi ?? USUAL),
    maxParkingNumber: area?.maxParkingNumber ?? 0,
    tags: area?.tags ?? [],
    remark: area?.remark ?? '',
  }
}

/** Draws a maintenance area or draws it anew, with its people. The edge is saved as a draft; people work from then on. */
export function CrewForm({ area, onSaved }: CrewFormProps) {
  const create = useCommand({ run: command.post(CREW_PATH), stale, done: '运维区已保存，边界发布后生效', fieldOf })
  const change = useCommand({ run: command.put(CREW_PATH), stale, done: '运维区已保存', fieldOf })
  const [form] = Form.useForm<Fields>()
  const areas = useQuery({ ...areasOf([]), enabled: !area })
  const original = originalOf(area)
  const areaId = Form.useWatch('opAreaId', form) ?? original.opAreaId
  const people = useMemo(() => peopleOf(areaId), [areaId])
  const datum = Form.useWatch('datum', form) ?? original.datum
  const save = ({ opAreaId = '', geometry, swapSlaH, moveSlaH, repairSlaH, ...filled }: Fields) => {
    const drawn = {
      ...filled,
      // The rule of the field lets nothing else pass.
      geometry: converted(geometry as Geometry, filled.datum, 'out'),
      draft: true,
      kpi: { swapSlaH, moveSlaH, repairSlaH },
    }
    return area ? change.mutateAsync({ ...drawn, id: area.id, version: area.version }) : create.mutateAsync({ ...drawn, opAreaId })
  }
  return (
    <RecordForm<Fields>
      draft={['maintenance_area', area?.id, area?.version]}
      form={form}
      original={original}
      fieldOf={fieldOf}
      // Who works in another service area is chosen anew, and so is what was drawn there.
      follow={(changed) => ('opAreaId' in changed ? { ...Object.fromEntries(posts.map(({ key }) => [key, []])), geometry: null } : {})}
      onSave={(fields) => save(fields).then(onSaved)}
    >
      {!area && (
        <ChoiceItem
          name="opAreaId"
          label="服务区"
          rules={[{ required: true, message: '请选择服务区' }]}
          query={areas}
          none="没有可以选择的服务区"
          placeholder="运维区属于哪个服务区"
          options={(areas.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
      <NameItem name="name" label="名称" max={NAME_MAX} extra="同一服务区内不能重名" showCount />
      <Form.Item name="datum" hidden>
        <Input />
      </Form.Item>
      <Form.Item name="geometry" label="边界" extra="同一服务区的运维区不能重叠，可以相邻" rules={[{ required: true, message: '请在地图上画出边界' }]}>
        <Edge areaId={areaId} fenceId={area?.id} datum={datum} onDatum={(typed) => form.setFieldValue('datum', typed)} />
      </Form.Item>
      {posts.map(({ key, label }) => (
        <RemoteItem
          key={key}
          name={key}
          label={label}
          required={key === 'leaders'}
          rules={[
            ...(key === 'leaders' ? [{ required: true, message: '请至少选择一名负责人' }] : []),
            { type: 'array', max: PEOPLE_MAX, message: `${label}最多 ${PEOPLE_MAX} 名` },
          ]}
          choices={people}
          held={area?.[key].map(optionOf)}
          disabled={areaId === undefined}
          placeholder={areaId === undefined ? '先选择服务区' : '搜索姓名或手机号'}
          none="没有能看到这个服务区的人员"
        />
      ))}
      <Pair>
        {slas.slice(0, 2).map((sla) => (
          <SlaItem key={sla.key} name={sla.key} label={sla.label} />
        ))}
      </Pair>
      <Pair>
        <SlaItem name={slas[2].key} label={slas[2].label} />
        <Form.Item name="maxParkingNumber" label="停放上限" extra="0 为不限" rules={[{ required: true, message: '请输入停放上限' }]}>
          <InputNumber min={0} max={PARKING_MAX} precision={0} suffix="辆" style={{ width: '100%' }} />
        </Form.Item>
      </Pair>
      <TextsItem name="tags" label="标签" placeholder="输入后回车，例如：岛内" most={TAGS_MAX} max={TAG_MAX} />
      <RemarkItem max={REMARK_MAX} />
    </RecordForm>
  )
}

function SlaItem({ name, label }: { name: keyof Kpi; label: string }) {
  return (
    <Form.Item name={name} label={label} rules={[{ required: true, message: `请输入${label}` }]}>
      <InputNumber min={1} max={SLA_MAX_H} precision={0} suffix="小时" style={{ width: '100%' }} />
    </Form.Item>
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

/** The field itself, with the areas around it that it must not overlap. */
function Edge(props: EdgeProps) {
  const { areaId, fenceId } = props
  const { data } = useQuery(neighboursOf(areaId))
  const beside = useMemo(
    () => data?.filter(({ id, countsVersion }) => id !== fenceId && countsVersion !== null).map(({ id, name, geometry, opAreaId }) => ({ id, areaId: opAreaId, name, capacity: 0, ring: ringOf(geometry) })),
    [data, fenceId],
  )
  return (
    <Suspense fallback={<Skeleton.Node active className="fence-draw-wait" />}>
      <DrawField {...props} beside={beside} />
    </Suspense>
  )
}

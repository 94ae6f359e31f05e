import { Form, Skeleton } from 'antd'
import { lazy, Suspense } from 'react'
import { command } from '@/api/client'
import { AgentItem } from '@/kit/record/ChoiceItem'
import { RecordForm } from '@/kit/record/RecordForm'
import { NameItem, TextItem } from '@/kit/TextItems'
import { useCommand } from '@/kit/useCommand'
import { TEL } from '../area/area'
import type { Geometry } from '../fence/fence'
import { type AreaFenceInfo, stale } from './areaFence'
import { cornersOf, countOf, fault } from './corners'
import { OVERLAPS, useOverlapQuestion } from './useOverlapQuestion'
import '../fence/fence.css'

// The map comes with the form, not with the list.
const EdgeField = lazy(() => import('./EdgeField'))

const NAME_MAX = 30
/** A draft keeps an edge of so many corners; a larger one is drawn again. */
const KEPT_CORNERS_MOST = 500

const atEdge = { ring: 'geometry', 'area-circle': 'geometry', 'area-fences-outside': 'geometry' }
const atFields = { ...atEdge, 'area-name-taken': 'name', 'area-name': 'name', 'area-telephone-form': 'tel', 'agent-unknown': 'agentId' }
/** What is said by the question is not said twice. */
const asked = { [OVERLAPS]: 'geometry' }

interface Edge {
  geometry: Geometry | null
}

interface NewArea extends Edge {
  agentId: string | undefined
  name: string
  tel: string
}

const NEW_AREA: NewArea = { agentId: undefined, name: '', tel: '', geometry: null }

function withoutLargeEdge<Fields extends Edge>(fields: Fields): Partial<Fields> {
  const { geometry, ...others } = fields
  return countOf(cornersOf(geometry)) <= KEPT_CORNERS_MOST ? fields : (others as Partial<Fields>)
}

/** Draws a new area, which does not serve riders before it is opened. */
export function DrawAreaForm({ onSaved }: { onSaved(): void }) {
  const draw = useCommand({ run: command.post('/fence/area'), stale, done: '服务区已新增，划定停车区后可以开通', fieldOf: { ...atFields, ...asked } })
  const ask = useOverlapQuestion()
  // The rules of the fields let nothing else pass.
  const save = ({ agentId, name, tel, geometry }: NewArea) =>
    ask((mayOverlap) => draw.mutateAsync({ agentId: agentId as string, name, tel, geometry: geometry as Geometry, mayOverlap }))
  return (
    <RecordForm<NewArea> draft={['area_fence']} original={NEW_AREA} kept={withoutLargeEdge} fieldOf={atFields} onSave={(fields) => save(fields).then(onSaved)}>
      <NameItem name="name" label="服务区名称" extra="同一代理下不能重名；骑行用户会看到这个名称" max={NAME_MAX} showCount />
      <AgentItem label="运营代理" placeholder="由哪家代理运营" none="没有启用的代理" />
      <TextItem
        name="tel"
        label="客服电话"
        extra="可以留空，开通前必须填写"
        rules={[{ pattern: TEL, message: '5 到 20 位，只能包含数字、空格、+、- 和括号' }]}
        placeholder="例如：0592-1234567"
        maxLength={20}
        inputMode="tel"
      />
      <EdgeItem original={null} />
    </RecordForm>
  )
}

/** Gives an area another edge, from when it is saved on. */
export function RedrawAreaForm({ area, onSaved }: { area: AreaFenceInfo; onSaved(): void }) {
  const redraw = useCommand({ run: command.put('/fence/area'), stale, done: '新边界已生效', fieldOf: { ...atEdge, ...asked } })
  const ask = useOverlapQuestion()
  const { id, version, geometry: original, corners } = area
  return (
    <RecordForm<Edge>
      draft={['area_fence', id, version]}
      original={{ geometry: original }}
      kept={withoutLargeEdge}
      missing={corners > KEPT_CORNERS_MOST ? '边界的修改没有保留' : undefined}
      fieldOf={atEdge}
      onSave={({ geometry }) => ask((mayOverlap) => redraw.mutateAsync({ id, version, geometry: geometry as Geometry, mayOverlap })).then(onSaved)}
    >
      <EdgeItem areaId={id} original={original} />
    </RecordForm>
  )
}

function EdgeItem({ areaId, original }: { areaId?: string; original: Geometry | null }) {
  return (
    <Form.Item
      name="geometry"
      label="边界"
      extra={areaId ? '保存后立即生效：区内围栏都要在新边界之内，车辆不受限制' : undefined}
      required
      rules={[
        {
          validator: (_, geometry: Geometry | null) => {
            const said = geometry === null ? '请在地图上画出边界' : fault(geometry)
            return said === null ? Promise.resolve() : Promise.reject(new Error(said))
          },
        },
      ]}
    >
      <EdgeInput areaId={areaId} original={original} />
    </Form.Item>
  )
}

interface EdgeInputProps {
  areaId: string | undefined
  original: Geometry | null
  value?: Geometry | null
  onChange?(geometry: Geometry | null): void
}

/** The field itself: the form gives value and change to its child, whatever is still loading below. */
function EdgeInput(props: EdgeInputProps) {
  return (
    <Suspense fallback={<Skeleton.Node active className="fence-draw-wait" />}>
      <EdgeField {...props} />
    </Suspense>
  )
}

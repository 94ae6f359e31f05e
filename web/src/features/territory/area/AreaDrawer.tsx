import { useQuery } from '@tanstack/react-query'
import { Alert, Skeleton } from 'antd'
import { lazy, Suspense } from 'react'
import { command } from '@/api/client'
import { EMPTY } from '@/kit/format'
import { RecordDrawer } from '@/kit/record/RecordDrawer'
import { RecordForm } from '@/kit/record/RecordForm'
import { Dot } from '@/kit/StateTag'
import { NameItem, TextItem } from '@/kit/TextItems'
import { Time } from '@/kit/Time'
import { useCommand } from '@/kit/useCommand'
import { AREA_PATH, areaInfo, type AreaInfo, areaState, CLOSED, PLANNED, stale, SUSPENDED, TEL } from './area'
import './area.css'

// The map comes with the drawer, not with the list.
const AreaPreview = lazy(() => import('./AreaPreview'))

const figure = (count: number, unit: string) => (
  <span className="figure">
    {count.toLocaleString()} {unit}
  </span>
)

/** Shows an area and changes its name and telephone. */
export function AreaDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <RecordDrawer
      id={id}
      query={useQuery(areaInfo(id))}
      category="area"
      words={{ untitled: '服务区', failure: '服务区加载失败', subject: '服务区' }}
      title={({ name }) => name}
      above={(area) => (
        <>
          {area.state === SUSPENDED && <Alert className="notice" type="warning" showIcon title="暂停服务中" description={area.notice} />}
          {area.state === CLOSED && <Alert className="notice" type="info" showIcon title="服务区已关停，只能查看" />}
          <Suspense fallback={<Skeleton.Node active className="area-preview-wait" />}>
            <AreaPreview area={area} />
          </Suspense>
        </>
      )}
      facts={(area) => [
        { name: '状态', value: <Dot {...areaState(area.state)} /> },
        { name: '运营代理', value: area.company ?? EMPTY },
        { name: '加盟商', value: figure(area.franchiseeCount, '家') },
        { name: '车辆', value: figure(area.vehicleCount, '辆') },
        { name: '其中已上架', value: figure(area.shelvedCount, '辆') },
        { name: '停车区 / 全部围栏', value: figure(area.parkingCount, `/ ${area.fenceCount.toLocaleString()} 个`) },
        { name: '创建时间', value: <Time at={area.createdAt} /> },
        { name: '更新时间', value: <Time at={area.updatedAt} /> },
        { name: '服务区编号', value: <span className="figure">{area.id}</span> },
      ]}
      onClose={onClose}
    >
      {(area, { state }) => state !== CLOSED && <AreaForm area={area} onSaved={onClose} />}
    </RecordDrawer>
  )
}

const fieldOf = { 'area-name-taken': 'name' }

/** Name and telephone. */
function AreaForm({ area, onSaved }: { area: AreaInfo; onSaved(): void }) {
  const change = useCommand({ run: command.put(AREA_PATH), stale, done: '服务区已保存', fieldOf })
  const { id, version, name, tel, state } = area
  const planned = state === PLANNED
  return (
    <RecordForm
      draft={['service_area', id, version]}
      original={{ name, tel }}
      fieldOf={fieldOf}
      onSave={(values) => change.mutateAsync({ ...values, id, version }).then(onSaved)}
    >
      <NameItem name="name" label="服务区名称" extra="同一代理下不能重名；骑行用户会看到这个名称" max={30} showCount />
      <TextItem
        name="tel"
        label="客服电话"
        required={!planned}
        extra={planned ? '开通前必须填写' : undefined}
        rules={[
          { required: !planned, whitespace: true, message: '已开通的服务区必须有客服电话' },
          { pattern: TEL, message: '5 到 20 位，只能包含数字、空格、+、- 和括号' },
        ]}
        placeholder="例如：0592-1234567"
        maxLength={20}
        inputMode="tel"
      />
    </RecordForm>
  )
}

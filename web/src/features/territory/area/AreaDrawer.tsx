import { useQuery } from '@tanstack/react-query'
import { Alert, Form, InputNumber, Skeleton, Switch } from 'antd'
import { lazy, Suspense } from 'react'
import { command } from '@/api/client'
import { EMPTY } from '@/kit/format'
import { RecordDrawer } from '@/kit/record/RecordDrawer'
import { RecordForm } from '@/kit/record/RecordForm'
import { Dot } from '@/kit/StateTag'
import { Pair } from '@/kit/record/items'
import { NameItem, TextItem, TextsItem } from '@/kit/TextItems'
import { Time } from '@/kit/Time'
import { useCommand } from '@/kit/useCommand'
import { DeliveryPanel } from '../delivery/DeliveryPanel'
import { AREA_PATH, areaInfo, type AreaInfo, areaState, CLOSED, OPEN, PLANNED, stale, SUSPENDED, TEL } from './area'
import { OpeningChecks } from './OpeningChecks'
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
          {area.state === SUSPENDED && <Alert className="notice" type="warning" showIcon title="暂停服务中" description={<Stopped area={area} />} />}
          {area.state === OPEN && area.stopBeginAt !== null && (
            <Alert className="notice" type="info" showIcon title="已安排停运" description={<Planned area={area} />} />
          )}
          {area.state === PLANNED && <OpeningChecks area={area} />}
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
        { name: '车辆 / 投放配额', value: <Quota area={area} /> },
        { name: '其中已上架', value: figure(area.shelvedCount, '辆') },
        { name: '停车区 / 全部围栏', value: figure(area.parkingCount, `/ ${area.fenceCount.toLocaleString()} 个`) },
        { name: '站点申请', value: area.takesApplications ? '接受' : '不接受' },
        { name: '城市代码', value: area.cityCode || EMPTY },
        { name: '监管平台编号', value: area.supervisionIds.join('、') || EMPTY },
        { name: '创建时间', value: <Time at={area.createdAt} /> },
        { name: '更新时间', value: <Time at={area.updatedAt} /> },
        { name: '服务区编号', value: <span className="figure">{area.id}</span> },
      ]}
      tabs={(area) => [{ key: 'delivery', label: '围栏下发', children: <DeliveryPanel areaId={area.id} name={area.name} /> }]}
      onClose={onClose}
    >
      {(area, { state }) => state !== CLOSED && <AreaForm area={area} onSaved={onClose} />}
    </RecordDrawer>
  )
}

/** What riders are told, and until when. */
function Stopped({ area: { notice, stopEndAt } }: { area: Pick<AreaInfo, 'notice' | 'stopEndAt'> }) {
  return (
    <>
      {notice}
      <br />
      {stopEndAt === null ? '由人恢复运营' : <>自动恢复：{<Time at={stopEndAt} />}</>}
    </>
  )
}

function Planned({ area: { stopNotice, stopBeginAt, stopEndAt } }: { area: Pick<AreaInfo, 'stopNotice' | 'stopBeginAt' | 'stopEndAt'> }) {
  return (
    <>
      {<Time at={stopBeginAt} />} 起暂停服务，{stopEndAt === null ? '由人恢复' : <>{<Time at={stopEndAt} />} 自动恢复</>}。公告：{stopNotice}
    </>
  )
}

function Quota({ area: { vehicleCount, vehicleQuota } }: { area: Pick<AreaInfo, 'vehicleCount' | 'vehicleQuota'> }) {
  const over = vehicleQuota !== null && vehicleCount > vehicleQuota
  return (
    <span className="figure">
      {vehicleCount.toLocaleString()} / {vehicleQuota?.toLocaleString() ?? '不限'} 辆{over && `（超出 ${(vehicleCount - vehicleQuota).toLocaleString()} 辆）`}
    </span>
  )
}

const fieldOf = {
  'area-name-taken': 'name',
  'area-city-code': 'cityCode',
  'area-quota': 'vehicleQuota',
  'area-supervision': 'supervisionIds',
}
const QUOTA_MAX = 1_000_000
const SUPERVISION_MAX = 10
const SUPERVISION_ID_MAX = 40

/** Name, telephone and what it is registered as. */
function AreaForm({ area, onSaved }: { area: AreaInfo; onSaved(): void }) {
  const change = useCommand({ run: command.put(AREA_PATH), stale, done: '服务区已保存', fieldOf })
  const { id, version, name, tel, state, cityCode, vehicleQuota, supervisionIds, takesApplications } = area
  const planned = state === PLANNED
  return (
    <RecordForm
      draft={['service_area', id, version]}
      original={{ name, tel, cityCode, vehicleQuota, supervisionIds, takesApplications }}
      fieldOf={fieldOf}
      onSave={({ name: called, tel: dialled, ...terms }) => change.mutateAsync({ id, version, name: called, tel: dialled, terms }).then(onSaved)}
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
      <Pair>
        <TextItem
          name="cityCode"
          label="城市代码"
          extra="6 位行政区划代码"
          rules={[{ pattern: /^(\d{6})?$/, message: '城市代码为 6 位数字' }]}
          placeholder="例如：350200"
          maxLength={6}
          inputMode="numeric"
        />
        <Form.Item name="vehicleQuota" label="投放配额" extra="政府核定的车辆上限；留空则不限">
          <InputNumber min={1} max={QUOTA_MAX} precision={0} suffix="辆" placeholder="不限" />
        </Form.Item>
      </Pair>
      <TextsItem
        name="supervisionIds"
        label="监管平台编号"
        extra="本区在监管平台登记的编号"
        placeholder="输入后回车，例如：XM-DDC-01"
        most={SUPERVISION_MAX}
        max={SUPERVISION_ID_MAX}
      />
      <Form.Item name="takesApplications" label="接受骑行用户的站点申请" required valuePropName="checked">
        <Switch />
      </Form.Item>
    </RecordForm>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Alert, Button } from 'antd'
import { useContext, useState } from 'react'
import { serverNow } from '@/api/clock'
import { EMPTY } from '@/kit/format'
import { usePermit } from '@/kit/Permit'
import { HistoryContext } from '@/kit/record/history'
import { RecordDrawer } from '@/kit/record/RecordDrawer'
import { Dot } from '@/kit/StateTag'
import { Time } from '@/kit/Time'
import { formatArea, stageOf } from '../fence/fence'
import { PublishDialog } from '../fence/PublishDialog'
import { Versions } from '../fence/Versions'
import { maintenanceArea, type MaintenanceArea, names, posts, slaText, unable } from './crew'
import { CrewForm } from './CrewForm'
import '@/kit/notice.css'

const figure = (count: number | null, unit: string) => <span className="figure">{count === null ? EMPTY : `${count.toLocaleString()} ${unit}`}</span>

/** The area as the calls on its fence alone know it. */
const asFence = (area: MaintenanceArea) => ({ ...area, version: area.fenceVersion })

/** Shows a maintenance area, its people and the versions of its edge, and changes both. */
export function CrewDrawer({ id, onClose }: { id: string; onClose(): void }) {
  const [publishing, setPublishing] = useState<MaintenanceArea | null>(null)
  const [at] = useState(serverNow)
  const history = useContext(HistoryContext)
  const readsLog = usePermit(history?.need ?? '')
  return (
    <>
      <RecordDrawer
        id={id}
        query={useQuery(maintenanceArea(id))}
        category="fence"
        words={{ untitled: '运维区', failure: '运维区加载失败', subject: '运维区', main: '编辑' }}
        title={({ name }) => name}
        actions={(area) =>
          area.hasDraft && (
            <Button size="small" type="primary" ghost onClick={() => setPublishing(area)}>
              发布草稿
            </Button>
          )
        }
        above={(area) => <Notices area={area} />}
        facts={(area) => [
          { name: '状态', value: <Dot {...stageOf(area, at)} /> },
          { name: '服务区', value: area.areaName ?? EMPTY },
          { name: '面积', value: <span className="figure">{formatArea(area.areaM2)}</span> },
          { name: '站点', value: figure(area.stationCount, '个') },
          { name: '车辆', value: figure(area.vehicleCount, '辆') },
          { name: '停放上限', value: area.maxParkingNumber === 0 ? '不限' : figure(area.maxParkingNumber, '辆') },
          { name: '更新时间', value: <Time at={area.updatedAt} /> },
          { name: '时限', value: slaText(area.kpi) ?? EMPTY, whole: true },
          ...posts.map(({ key, label }) => ({ name: label, value: names(area[key]) || EMPTY, whole: true })),
        ]}
        tabs={(area) => [
          { key: 'versions', label: '版本', children: <Versions fence={asFence(area)} /> },
          ...(history && readsLog ? [{ key: 'people', label: '人员记录', children: <history.Steps category="crew" id={id} version={area.version} /> }] : []),
        ]}
        onClose={onClose}
      >
        {(area) => <CrewForm area={area} onSaved={() => undefined} />}
      </RecordDrawer>
      {publishing && <PublishDialog fence={asFence(publishing)} onClose={() => setPublishing(null)} />}
    </>
  )
}

/** What is amiss with an area: people who cannot work any more, an edge that counts for nobody. */
function Notices({ area }: { area: MaintenanceArea }) {
  const gone = unable(area)
  return (
    <>
      {gone.length > 0 && (
        <Alert
          className="notice"
          type="warning"
          showIcon
          title={`${gone.map(({ name }) => name).join('、')} 的账号已停用或删除`}
          description="他们仍列在这个运维区里，但不能再登录和接单；请换上别的人员。"
        />
      )}
      {area.leaders.length === 0 && <Alert className="notice" type="warning" showIcon title="还没有负责人" description="请选择负责人后保存。" />}
      {area.hasDraft && (
        <Alert
          className="notice"
          type="info"
          showIcon
          title={area.dataVersion === 0 ? '边界还是草稿，没有生效；发布后才统计站点和车辆' : `边界有未发布的草稿；第 ${area.countsVersion ?? area.dataVersion} 版仍在使用`}
        />
      )}
    </>
  )
}

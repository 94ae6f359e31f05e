import { useQuery } from '@tanstack/react-query'
import { Alert, Skeleton } from 'antd'
import { lazy, Suspense } from 'react'
import { EMPTY } from '@/kit/format'
import { RecordDrawer } from '@/kit/record/RecordDrawer'
import { Dot } from '@/kit/StateTag'
import { Time } from '@/kit/Time'
import { areaState, CLOSED } from '../area/area'
import { DeliveryLine } from '../delivery/DeliveryLine'
import { DeliveryPanel } from '../delivery/DeliveryPanel'
import { areaFenceInfo, formatKm2 } from './areaFence'
import { RedrawAreaForm } from './AreaFenceForm'
import { cornersOf } from './corners'
import { Edges } from './Edges'
import '@/kit/notice.css'
import '../fence/fence.css'

// The map comes with the drawer, not with the list.
const EdgePreview = lazy(() => import('./EdgePreview'))

/** Shows an area's edge and draws it anew. */
export function AreaFenceDrawer({ id, onClose }: { id: string; onClose(): void }) {
  return (
    <RecordDrawer
      id={id}
      query={useQuery(areaFenceInfo(id))}
      category="area"
      words={{ untitled: '服务区边界', failure: '服务区加载失败', subject: '服务区', main: '边界' }}
      title={({ name }) => name}
      above={(area) => (
        <>
          {area.state === CLOSED && <Alert className="notice" type="info" showIcon title="服务区已关停，边界只能查看" />}
          {area.outsideCount > 0 && (
            <Alert className="notice" type="warning" showIcon title={`有 ${area.outsideCount} 个生效中的围栏伸出边界，重画边界时需要把它们包括在内，或先移动它们`} />
          )}
        </>
      )}
      facts={(area) => [
        { name: '状态', value: <Dot {...areaState(area.state)} /> },
        { name: '运营代理', value: area.company ?? EMPTY },
        { name: '边界版本', value: <span className="figure">第 {area.dataVersion} 版</span> },
        { name: '面积', value: <span className="figure">{formatKm2(area.areaM2)}</span> },
        { name: '顶点', value: <span className="figure">{area.corners.toLocaleString()} 个</span> },
        { name: '围栏 / 界外', value: <span className="figure">{`${area.fenceCount.toLocaleString()} / ${area.outsideCount > 0 ? area.outsideCount : '无'}`}</span> },
        { name: '下发进度', value: <DeliveryLine areaId={area.id} /> },
        { name: '边界生效时间', value: area.edgeAt ? <Time at={area.edgeAt} /> : EMPTY },
        { name: '更新时间', value: <Time at={area.updatedAt} /> },
        { name: '服务区编号', value: <span className="figure">{area.id}</span> },
      ]}
      tabs={(area) => [{ key: 'versions', label: '版本', children: <Edges area={area} /> }, { key: 'delivery', label: '下发', children: <DeliveryPanel areaId={area.id} name={area.name} /> }]}
      onClose={onClose}
    >
      {(area, latest) =>
        latest.state === CLOSED ? (
          <Suspense fallback={<Skeleton.Node active className="fence-draw-wait" />}>
            <EdgePreview name={area.name} ring={cornersOf(area.geometry)} />
          </Suspense>
        ) : (
          <RedrawAreaForm area={area} onSaved={onClose} />
        )
      }
    </RecordDrawer>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Alert, Button, Skeleton } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { serverNow } from '@/api/clock'
import { EMPTY } from '@/kit/format'
import { RecordDrawer } from '@/kit/record/RecordDrawer'
import { Dot } from '@/kit/StateTag'
import { Time } from '@/kit/Time'
import { DeliveryLine } from '../delivery/DeliveryLine'
import { type Fence, fenceInfo, formatArea, stageOf, typeLabels } from './fence'
import { FenceForm } from './FenceForm'
import { FencePhotos } from './FencePhotos'
import { PublishDialog } from './PublishDialog'
import { Versions } from './Versions'
import { particulars } from './words'
import '@/kit/notice.css'

// The map comes with the tab and the dialog, not with the list.
const CopyDialog = lazy(() => import('./CopyDialog'))
const Returns = lazy(() => import('./Returns'))

/** Shows a fence, draws it anew and publishes it. */
export function FenceDrawer({ id, onClose }: { id: string; onClose(): void }) {
  const [publishing, setPublishing] = useState<Fence | null>(null)
  const [copying, setCopying] = useState<readonly Fence[] | null>(null)
  const [at] = useState(serverNow)
  return (
    <>
      <RecordDrawer
        id={id}
        query={useQuery(fenceInfo(id))}
        category="fence"
        words={{ untitled: '围栏', failure: '围栏加载失败', subject: '围栏', main: '编辑' }}
        title={({ name }) => name}
        actions={(fence) => (
          <>
            <Button size="small" onClick={() => setCopying([fence])}>
              复制到服务区
            </Button>
            {fence.hasDraft && (
              <Button size="small" type="primary" ghost onClick={() => setPublishing(fence)}>
                发布草稿
              </Button>
            )}
          </>
        )}
        above={(fence) =>
          fence.hasDraft && (
            <Alert
              className="notice"
              type="warning"
              showIcon
              title={fence.dataVersion === 0 ? '还是草稿，没有生效；发布后才用来判断还车' : `有未发布的草稿；第 ${fence.countsVersion ?? fence.dataVersion} 版仍在使用`}
            />
          )
        }
        facts={(fence) => [
          { name: '状态', value: <Dot {...stageOf(fence, at)} /> },
          { name: '类型', value: typeLabels[fence.type] },
          { name: '服务区', value: fence.areaName ?? EMPTY },
          { name: '服务区下发进度', value: <DeliveryLine areaId={fence.opAreaId} /> },
          { name: '生效版本', value: <span className="figure">{fence.countsVersion ? `第 ${fence.countsVersion} 版` : EMPTY}</span> },
          { name: '面积', value: <span className="figure">{formatArea(fence.areaM2)}</span> },
          { name: '更新时间', value: <Time at={fence.updatedAt} /> },
          ...particulars(fence),
        ]}
        tabs={(fence) => [
          { key: 'versions', label: '版本', children: <Versions fence={fence} /> },
          { key: 'photos', label: fence.photoIds.length > 0 ? `照片 ${fence.photoIds.length}` : '照片', children: <FencePhotos fence={fence} /> },
          {
            key: 'returns',
            label: '还车分布',
            children: (
              <Suspense fallback={<Skeleton active />}>
                <Returns fence={fence} />
              </Suspense>
            ),
          },
        ]}
        onClose={onClose}
      >
        {(fence) => <FenceForm types={[fence.type]} fence={fence} onSaved={() => undefined} />}
      </RecordDrawer>
      {copying && (
        <Suspense fallback={null}>
          <CopyDialog fences={copying} onClose={() => setCopying(null)} />
        </Suspense>
      )}
      {publishing && <PublishDialog fence={publishing} onClose={() => setPublishing(null)} />}
    </>
  )
}

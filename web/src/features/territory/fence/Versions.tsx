import { useQuery } from '@tanstack/react-query'
import { Skeleton } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { command } from '@/api/client'
import { LoadFailure } from '@/kit/LoadFailure'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { AffectedOrders } from '@/kit/versions/AffectedOrders'
import { newestOf, rollBackTo, VersionList, withdrawal } from '@/kit/versions/VersionList'
import { type Fence, fenceVersions, type FenceVersion, formatArea, stale } from './fence'
import { asked, useOverlapAsked } from './overlap'
import { differences } from './words'
import './fence.css'

// The map comes with the versions, not with the list.
const FencePreview = lazy(() => import('./FencePreview'))

const counted = (row: FenceVersion) => row
const BACK = '立即按这一版的边界和规则发布一个新版本；现有的草稿会被它取代。'
const EMPTY_TEXT = '还没有发布过；发布后每个版本都留在这里'

/** All versions of a fence, newest first: when each counts, what it changed, and the way back to it. */
export function Versions({ fence }: { fence: Pick<Fence, 'id' | 'name' | 'version' | 'opAreaId'> }) {
  const { id, name, version, opAreaId } = fence
  const [compared, setCompared] = useState<number | null>(null)
  const query = useQuery(fenceVersions(id, version))
  const rollBack = useAskedCommand({ run: useOverlapAsked(command.post('/fence/rollback')), stale, done: '已回滚', fieldOf: asked })
  const withdraw = useAskedCommand({ run: command.post('/fence/withdraw'), stale, done: '已撤回，内容保留为草稿' })
  if (query.isLoading) return <Skeleton active />
  if (query.isError) return <LoadFailure query={query} text="版本加载失败" />
  const { rows, at_ms } = query.data ?? { rows: [], at_ms: 0 }
  const latest = newestOf(rows, counted)
  return (
    <>
      {latest && (
        <>
          <Suspense fallback={<Skeleton.Node active className="fence-draw-wait" />}>
            <FencePreview fence={fence} geometry={latest.geometry} against={rows.find(({ dataVersion }) => dataVersion === compared)?.geometry} />
          </Suspense>
          <p className="weak">
            地图上是第 {latest.dataVersion} 版{compared !== null ? `，斜线是第 ${compared} 版` : rows.length > 1 ? '；选择一个旧版本可以比较边界' : ''}
          </p>
        </>
      )}
      <VersionList
        rows={rows}
        at_ms={at_ms}
        countedOf={counted}
        changesOf={(row, before) => (before ? differences(before, row) : [`首次发布，面积 ${formatArea(row.areaM2)}`])}
        aside={({ batchId, batchReason }) => batchId !== null && <span className="weak">批量修改{batchReason ? `：${batchReason}` : ''}</span>}
        extra={({ dataVersion }) => <AffectedOrders subject={2} opAreaId={opAreaId} fenceId={id} version={dataVersion} />}
        compared={compared}
        onCompare={setCompared}
        onRollBack={(dataVersion) => rollBack({ id, dataVersion, version }, rollBackTo(dataVersion, name, BACK))}
        onWithdraw={(dataVersion) => withdraw({ id, dataVersion, version }, withdrawal(dataVersion, name))}
        emptyText={EMPTY_TEXT}
      />
    </>
  )
}

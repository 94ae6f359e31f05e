import { useQuery } from '@tanstack/react-query'
import { Skeleton } from 'antd'
import { lazy, Suspense, useMemo, useState } from 'react'
import { command } from '@/api/client'
import { LoadFailure } from '@/kit/LoadFailure'
import { useCommand } from '@/kit/useCommand'
import { useDangerousConfirm } from '@/kit/useDangerousConfirm'
import { AffectedOrders } from '@/kit/versions/AffectedOrders'
import { rollBackTo, VersionList } from '@/kit/versions/VersionList'
import { CLOSED } from '../area/area'
import { type AreaEdge, areaEdge, areaEdges, type AreaFenceInfo, differences, formatKm2, stale } from './areaFence'
import { cornersOf } from './corners'
import { OVERLAPS, useOverlapQuestion } from './useOverlapQuestion'
import '../fence/fence.css'

// The map comes with the versions, not with the list.
const EdgePreview = lazy(() => import('./EdgePreview'))

/** An edge counts from when it was drawn until the next one is: the one without an end does, whatever the clock here says. */
const counted = ({ fromAt, untilAt }: AreaEdge) => ({ fromAt, counted: [[fromAt, untilAt]] })
const WHENEVER_MS = Infinity

/** All edges of an area, newest first: when each held, what it changed, where it lay, and the way back to it. */
export function Edges({ area }: { area: AreaFenceInfo }) {
  const { id, name, version, dataVersion: newest, state, geometry } = area
  const [compared, setCompared] = useState<number | null>(null)
  const query = useQuery(areaEdges(id, version))
  const other = useQuery({ ...areaEdge(id, compared ?? 0), enabled: compared !== null })
  const rollBack = useCommand({ run: command.post('/fence/area/rollback'), stale, done: '已回滚', fieldOf: { [OVERLAPS]: '' } })
  const confirm = useDangerousConfirm()
  const ask = useOverlapQuestion()
  const ring = useMemo(() => cornersOf(geometry), [geometry])
  const against = useMemo(() => (compared !== null && other.data ? cornersOf(other.data) : undefined), [compared, other.data])
  if (query.isLoading) return <Skeleton active />
  if (query.isError) return <LoadFailure query={query} text="版本加载失败" />
  const rows = query.data ?? []
  const back = (dataVersion: number) =>
    confirm({
      ...rollBackTo(dataVersion, name, '立即按这一版的边界生效一个新版本；区内围栏都要在那条边界之内。'),
      onConfirm: () => ask((mayOverlap) => rollBack.mutateAsync({ id, dataVersion, version, mayOverlap })),
    })
  return (
    <>
      <Suspense fallback={<Skeleton.Node active className="fence-draw-wait" />}>
        <EdgePreview name={name} ring={ring} against={against} />
      </Suspense>
      <LoadFailure query={other} text="这一版的边界加载失败" />
      <p className="weak">地图上是第 {newest} 版{against ? `，虚线是第 ${compared} 版` : rows.length > 1 ? '；选择一个旧版本可以比较边界' : ''}</p>
      <VersionList
        rows={rows}
        at_ms={WHENEVER_MS}
        countedOf={counted}
        changesOf={(row, before) => [before ? differences(before, row) : `首次划定，面积 ${formatKm2(row.areaM2)}，顶点 ${row.corners.toLocaleString()} 个`]}
        extra={({ dataVersion }) => <AffectedOrders subject={3} opAreaId={id} version={dataVersion} />}
        compared={compared}
        onCompare={setCompared}
        {...(state === CLOSED ? {} : { onRollBack: back })}
        emptyText="还没有边界"
      />
    </>
  )
}

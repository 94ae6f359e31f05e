import { useQuery } from '@tanstack/react-query'
import { Button, Empty, Skeleton } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { command } from '@/api/client'
import { formatTime } from '@/kit/format'
import { LoadFailure } from '@/kit/LoadFailure'
import { Dot } from '@/kit/StateTag'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { type Fence, fenceVersions, formatArea, PENDING, stale, versionStage } from './fence'
import { asked, useOverlapAsked } from './overlap'
import { differences } from './words'
import './fence.css'

// The map comes with the versions, not with the list.
const FencePreview = lazy(() => import('./FencePreview'))

/** When it counted and counts, in words. */
function timesOf(counted: readonly (readonly (number | null)[])[]): string {
  if (counted.length === 0) return '没有生效过'
  return counted.map(([from, until]) => `${formatTime(from ?? 0)} 至 ${until === null || until === undefined ? '今' : formatTime(until)}`).join('；')
}

/** All versions of a fence, newest first: when each counts, what it changed, and the way back to it. */
export function Versions({ fence }: { fence: Pick<Fence, 'id' | 'name' | 'version' | 'opAreaId'> }) {
  const { id, name, version } = fence
  const [compared, setCompared] = useState<number | null>(null)
  const query = useQuery(fenceVersions(id, version))
  const rollBack = useAskedCommand({ run: useOverlapAsked(command.post('/fence/rollback')), stale, done: '已回滚', fieldOf: asked })
  const withdraw = useAskedCommand({ run: command.post('/fence/withdraw'), stale, done: '已撤回，内容保留为草稿' })
  if (query.isLoading) return <Skeleton active />
  if (query.isError) return <LoadFailure query={query} text="版本加载失败" />
  const { rows, at_ms } = query.data ?? { rows: [], at_ms: 0 }
  if (rows.length === 0) return <Empty description="还没有发布过；发布后每个版本都留在这里" />
  const latest = rows.find(({ withdrawn }) => !withdrawn) ?? rows[0]!
  const newest = latest.dataVersion
  return (
    <>
    <Suspense fallback={<Skeleton.Node active className="fence-draw-wait" />}>
      <FencePreview fence={fence} geometry={latest.geometry} against={rows.find(({ dataVersion }) => dataVersion === compared)?.geometry} />
    </Suspense>
    <p className="weak">地图上是第 {newest} 版{compared !== null ? `，斜线是第 ${compared} 版` : rows.length > 1 ? '；选择一个旧版本可以比较边界' : ''}</p>
    <div role="list" aria-label="版本">
      {rows.map((row, index) => {
        const before = rows[index + 1]
        const stage = versionStage(row, at_ms)
        const pending = stage.label === PENDING
        const { dataVersion } = row
        return (
          <div key={dataVersion} className="fence-version" role="listitem" aria-label={`第 ${dataVersion} 版`}>
            <strong className="figure">第 {dataVersion} 版</strong>
            <span>
              <Dot {...stage} />{' '}
              <span className="weak figure">{pending ? `从 ${formatTime(row.fromAt)} 起` : timesOf(row.counted)}</span>
            </span>
            {pending ? (
              <Button
                size="small"
                type="link"
                onClick={() =>
                  withdraw({ id, dataVersion, version }, { act: `撤回第 ${dataVersion} 版`, name, consequence: '这个版本不再生效；画好的内容保留为草稿。' })
                }
              >
                撤回
              </Button>
            ) : dataVersion === newest ? (
              <span />
            ) : (
              <span>
              <Button size="small" type="link" aria-pressed={compared === dataVersion} onClick={() => setCompared(compared === dataVersion ? null : dataVersion)}>
                对比
              </Button>
              <Button
                size="small"
                type="link"
                onClick={() =>
                  rollBack(
                    { id, dataVersion, version },
                    { act: `回滚到第 ${dataVersion} 版`, name, consequence: '立即按这一版的边界和规则发布一个新版本；现有的草稿会被它取代。' },
                  )
                }
              >
                回滚到此版
              </Button>
              </span>
            )}
            <ul className="weak">
              {before ? differences(before, row).map((line) => <li key={line}>{line}</li>) : <li>首次发布，面积 {formatArea(row.areaM2)}</li>}
            </ul>
          </div>
        )
      })}
    </div>
    </>
  )
}

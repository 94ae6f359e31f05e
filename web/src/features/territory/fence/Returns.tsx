import { useQuery } from '@tanstack/react-query'
import { Alert, Button, Empty, Segmented, Skeleton } from 'antd'
import { useMemo, useState } from 'react'
import { command } from '@/api/client'
import { LoadFailure } from '@/kit/LoadFailure'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { type Fence, stale } from './fence'
import FencePreview from './FencePreview'
import { colorOfStop, fenceReturns, RETURN_DAYS, stopClasses } from './stops'

/** 还车分布: where bikes stopped about a fence, how it is judged, and an edge that would fit better. */
export default function Returns({ fence }: { fence: Fence }) {
  const { id, name, version, geometry, parking, ban, tags, remark } = fence
  const [days, setDays] = useState<number>(30)
  const query = useQuery(fenceReturns(id, version, days))
  const draw = useAskedCommand({ run: command.put('/fence'), stale, done: '草稿已保存，发布后生效' })
  const dots = useMemo(() => (query.data?.stops ?? []).map((stop) => ({ place: stop.place, color: colorOfStop(stop.class) })), [query.data])
  const counts = stopClasses.map((_, number) => (query.data?.stops ?? []).filter((stop) => stop.class === number).length)
  const better = query.data?.better
  return (
    <>
      <Segmented
        aria-label="天数"
        value={days}
        onChange={setDays}
        options={RETURN_DAYS.map((value) => ({ value, label: `近 ${value} 天` }))}
      />
      {query.isLoading && <Skeleton active />}
      {query.isError && <LoadFailure query={query} text="还车分布加载失败" />}
      {query.data && (
        <>
          {better && (
            <Alert
              className="import-part"
              type="info"
              showIcon
              title={`很多车停在第 ${better.side} 条边外；边界外移 ${better.movedM.toFixed(1)} 米，可多容纳 ${better.gained} 次还车`}
              description="地图上斜线是建议的边界"
              action={
                <Button
                  size="small"
                  onClick={() =>
                    draw(
                      { id, version, name, geometry: better.geometry, draft: true, tags, remark, ...(parking ? { parking } : {}), ...(ban ? { ban } : {}) },
                      { act: '采用建议的边界', name, consequence: '保存为草稿，发布后才生效；已有的草稿会被它取代。' },
                    )
                  }
                >
                  存为草稿
                </Button>
              }
            />
          )}
          <FencePreview fence={fence} geometry={geometry} against={better?.geometry} stops={dots} />
          {dots.length === 0 ? (
            <Empty description={`近 ${days} 天没有车在附近停过`} />
          ) : (
            <p className="stop-legend">
              {stopClasses.map(
                ({ key, label, color }, number) =>
                  counts[number]! > 0 && (
                    <span key={key}>
                      <i aria-hidden style={{ background: color }} />
                      {label} <span className="figure">{counts[number]!.toLocaleString('zh-CN')}</span>
                    </span>
                  ),
              )}
              {query.data.capped && <span className="weak">只画了最近的 {dots.length.toLocaleString('zh-CN')} 次</span>}
            </p>
          )}
        </>
      )}
    </>
  )
}

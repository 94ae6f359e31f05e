import { useQuery } from '@tanstack/react-query'
import { Skeleton } from 'antd'
import { LoadFailure } from '@/kit/LoadFailure'
import type { Fence } from './fence'
import { countOf, previewBody, saidOfChange, stopPreview } from './stops'
import { StopTally } from './StopTally'

/** What a draft would change of the stops of the last seven days. */
export function PreviewTable({ fence }: { fence: Fence }) {
  const query = useQuery(stopPreview(previewBody(fence), fence.version))
  if (query.isLoading) return <Skeleton active paragraph={{ rows: 2 }} title={false} />
  if (query.isError || !query.data) return <LoadFailure query={query} text="近 7 天停车的预览加载失败" />
  const { days, before, capped } = query.data
  const count = countOf(before)
  if (count === 0) return <p className="weak">近 {days} 天没有车在这里停过，发布不影响任何停车。</p>
  const said = saidOfChange(query.data)
  return (
    <section aria-label="停车预览" className="stop-preview">
      <p>
        近 {days} 天在附近停车 <strong className="figure">{count.toLocaleString('zh-CN')}</strong> 次{capped ? '（最近的）' : ''}，若按草稿判断（满桩按当时在站的车辆数）：
        {said === null ? '结果不变。' : `${said}。`}
      </p>
      <StopTally of={query.data} then="发布后" />
    </section>
  )
}

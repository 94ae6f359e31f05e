import { useQuery } from '@tanstack/react-query'
import { Progress } from 'antd'
import { EMPTY } from '@/kit/format'
import { ink } from '@/kit/theme'
import { deliveryOf, isDone, percentOf, progressText } from './delivery'
import './delivery.css'

/** How far the fences of an area have come, in a line. */
export function DeliveryLine({ areaId }: { areaId: string }) {
  const { data, isLoading } = useQuery(deliveryOf(areaId))
  if (!data) return <span className="weak">{isLoading ? '…' : EMPTY}</span>
  const text = progressText(data)
  if (data.edition === null || data.bikes === 0) return <span className="weak">{text}</span>
  return (
    <span className="delivery-line" title={`围栏版本 ${data.edition}`}>
      <Progress percent={percentOf(data)} size="small" showInfo={false} strokeColor={isDone(data) ? ink.good : ink.warning} aria-label="围栏下发进度" />
      <span className="figure">{text}</span>
    </span>
  )
}

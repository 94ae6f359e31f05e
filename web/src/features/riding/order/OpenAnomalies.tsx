import { useQuery } from '@tanstack/react-query'
import { Badge } from 'antd'
import { anomalySummary } from './anomaly'

/** How many strange orders wait for a person; nothing while none does. */
export function OpenAnomalies() {
  const { data } = useQuery(anomalySummary)
  return data ? <Badge count={data.open} size="small" overflowCount={999} title={`${data.open} 个待处理`} /> : null
}

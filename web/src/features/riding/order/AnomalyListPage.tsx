import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { serverNow } from '@/api/clock'
import { usePermit } from '@/kit/Permit'
import { ListPage, type RowAction } from '@/kit/list/ListPage'
import { ANOMALY_PATH, anomalyList, anomalySummary, type OrderAnomaly, unendable } from './anomaly'
import { AnomalySums } from './AnomalySums'
import { EndAnomalies } from './EndAnomalies'
import { OrderDrawer } from './OrderDrawer'
import './orders.css'

/** The code of the operation map. */
const MAP = '0301'
const END = '按真实时间结束'

/** 异常订单: orders that run although nobody rides; ended at their true time, several at once. */
export default function AnomalyListPage() {
  const { data: summary } = useQuery(anomalySummary)
  const client = useQueryClient()
  const navigate = useNavigate()
  const onMap = usePermit(MAP)
  const [ending, setEnding] = useState<{ rows: readonly OrderAnomaly[]; done: () => void } | null>(null)
  const lookedAt = summary?.lookedAt
  const description = useMemo(() => anomalyList(summary, serverNow()), [summary])
  // Nobody tells when the server has looked again: what is listed may have changed then.
  useEffect(() => {
    if (lookedAt) void client.invalidateQueries({ queryKey: [ANOMALY_PATH] })
  }, [client, lookedAt])
  const acts = (row: OrderAnomaly): RowAction[] => {
    const unavailable = unendable([row])
    return [
      { key: 'end', label: END, ...(unavailable ? { unavailable } : {}), onRun: () => setEnding({ rows: [row], done: () => undefined }) },
      { key: 'order', label: '订单详情', onRun: () => void navigate(`/user-order-detail?orderId=${row.orderId}`) },
      ...(onMap ? [{ key: 'map', label: '在地图上查看车辆', onRun: () => void navigate(`/vehicle/operation-map?carId=${encodeURIComponent(row.carId)}`) }] : []),
    ]
  }
  return (
    <>
      <ListPage<OrderAnomaly>
        description={description}
        above={() => summary && <AnomalySums summary={summary} />}
        rowActions={acts}
        batchActions={[{ key: 'end', label: END, unavailable: unendable, onRun: (rows, done) => setEnding({ rows, done }) }]}
        drawer={(id, close) => <OrderDrawer id={id} onClose={close} />}
      />
      {ending && (
        <EndAnomalies
          rows={ending.rows}
          onClose={(isDone) => {
            if (isDone) ending.done()
            setEnding(null)
          }}
        />
      )}
    </>
  )
}

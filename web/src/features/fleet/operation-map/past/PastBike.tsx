import { CloseOutlined } from '@ant-design/icons'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Button } from 'antd'

import { api } from '@/api/client'
import { formatTime } from '@/kit/format'
import { LoadFailure } from '@/kit/LoadFailure'
import { stateStyle } from '@/kit/theme'
import { Bit, STATE_MASK } from '@/live/fleetFrame'
import type { FleetStore } from '@/live/fleetStore'

/** Which bike has a number in the past. */
export const pastBike = (asked: { number: number } | { carId: string }) =>
  queryOptions({
    queryKey: ['/vehicle/map/bike', asked],
    queryFn: ({ signal }) => api.get('/vehicle/map/bike', asked, { signal, quiet: true }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

interface PastBikeProps {
  number: number
  bikes: FleetStore
  at: number
  onClose: () => void
  /** Looks at the bike as it is now. */
  onNow: (carId: string) => void
}

/** What was known of a bike at the moment that is looked at. */
export function PastBike({ number, bikes, at, onClose, onNow }: PastBikeProps) {
  const query = useQuery(pastBike({ number }))
  const there = (bikes.present[number] ?? 0) !== 0
  const flags = bikes.flags[number] ?? 0
  const carId = query.data?.carId
  return (
    <aside className="opmap-past-bike" aria-label={`车辆 ${carId ?? ''}`}>
      <header>
        <h3>{carId ?? (query.isError ? '车辆' : '…')}</h3>
        <Button type="text" size="small" aria-label="关闭" icon={<CloseOutlined />} onClick={onClose} />
      </header>
      <LoadFailure query={query} text="车辆编号没有取到" />
      <p className="opmap-weak">{formatTime(at)}</p>
      {there ? (
        <dl>
          <dt>状态</dt>
          <dd>{stateStyle[flags & STATE_MASK]?.label ?? '未知'}</dd>
          <dt>电量</dt>
          <dd>{bikes.soc[number]}%</dd>
          <dt>车锁</dt>
          <dd>{(flags & Bit.locked) === 0 ? '已开' : '已关'}</dd>
          <dt>告警</dt>
          <dd>{(flags & Bit.alarm) === 0 ? '无' : '有'}</dd>
        </dl>
      ) : (
        <p>这个时刻不在路面上，或还没有定位。</p>
      )}
      {carId !== undefined && (
        <Button size="small" onClick={() => onNow(carId)}>
          看这辆车的现在
        </Button>
      )}
    </aside>
  )
}

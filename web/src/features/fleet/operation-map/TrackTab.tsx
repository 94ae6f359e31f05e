import { useQuery } from '@tanstack/react-query'
import { Segmented } from 'antd'
import { useEffect, useState } from 'react'

import { failureText } from '@/api/client'
import { Time } from '@/kit/Time'
import { stretches } from '@/map/TrackLayer'

import { historyOf } from './queries'
import { distance_m, type HistoryPoint } from './vehicle'

const spans = [
  { value: 60, label: '1 小时' },
  { value: 180, label: '3 小时' },
  { value: 720, label: '12 小时' },
  { value: 1440, label: '24 小时' },
]

/** Metres travelled over the track, gaps left out. */
export function length_m(points: readonly HistoryPoint[]): number {
  let sum = 0
  for (const part of stretches(points)) {
    for (let at = 1; at < part.length; at += 1) sum += distance_m(part[at - 1]!, part[at]!)
  }
  return sum
}

/** The last track, drawn on the map while this tab is open. */
export function TrackTab({ carId, onTrack }: { carId: string; onTrack: (points: readonly HistoryPoint[]) => void }) {
  const [minutes, setMinutes] = useState(180)
  const history = useQuery(historyOf(carId, minutes))
  const points = history.data?.points
  useEffect(() => {
    onTrack(points ?? [])
    return () => onTrack([])
  }, [points, onTrack])
  const first = points?.[0]
  const last = points?.at(-1)
  return (
    <div className="opmap-track">
      <Segmented options={spans} value={minutes} onChange={setMinutes} block />
      {history.isPending && <p className="opmap-weak">正在取轨迹…</p>}
      {history.isError && <p className="opmap-weak">{failureText(history.error, '轨迹没有取到')}</p>}
      {points !== undefined && (first === undefined || last === undefined) && <p className="opmap-weak">这段时间没有上报过位置</p>}
      {points !== undefined && first !== undefined && last !== undefined && (
        <dl className="opmap-facts">
          <div className="opmap-fact">
            <dt>里程</dt>
            <dd>{(length_m(points) / 1000).toFixed(2)} 公里</dd>
          </div>
          <div className="opmap-fact">
            <dt>上报</dt>
            <dd>{points.length} 次</dd>
          </div>
          <div className="opmap-fact">
            <dt>从</dt>
            <dd>
              <Time at={first.at} />
            </dd>
          </div>
          <div className="opmap-fact">
            <dt>到</dt>
            <dd>
              <Time at={last.at} />
            </dd>
          </div>
        </dl>
      )}
      <p className="opmap-weak">轨迹已画在地图上：空心为起点，实心为终点；静默超过 15 分钟处断开。</p>
    </div>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Segmented, Skeleton } from 'antd'
import { useMemo, useState } from 'react'
import { Link } from 'react-router-dom'
import { FormDrawer } from '@/kit/FormDrawer'
import { formatTime } from '@/kit/format'
import { useListAddress } from '@/kit/list/address'
import type { Filters } from '@/kit/list/description'
import { ListPage } from '@/kit/list/ListPage'
import { LoadFailure } from '@/kit/LoadFailure'
import { ink, stateStyle } from '@/kit/theme'
import { useVehicleTopic } from '@/live/hooks'
import { mapVariables } from '@/map/MapView'
import { infoOf } from '../info/records'
import { batchActionsOf, useKeep } from '../keeping/useKeep'
import { CommandPanel } from '../operation-map/CommandPanel'
import { vehicleOf } from '../operation-map/queries'
import { DeviceFacts } from '../operation-map/VehicleFacts'
import { newer } from '../operation-map/newer'
import type { Vehicle } from '../operation-map/vehicle'
import { contactShares, curveOf, curvePath, type DeviceRow, type DeviceSummary, deviceList, onlineOf, percentOf, type Share, signalShares, summaryOf, versionShares } from './devices'
import '../operation-map/operationMap.css'
import '../alarms/alarms.css'
import './devices.css'

const SORTS = ['gsm', 'soc', 'reportAt'] as const

/** 设备监控: devices on bikes, all together and one by one. */
export default function DeviceMonitorPage() {
  const { run, dialog } = useKeep()
  const actions = useMemo(() => batchActionsOf<DeviceRow>(run).filter(({ key }) => key.startsWith('command-')).map((action) => ({ ...action, seldom: false })), [run])
  return (
    <>
      <ListPage<DeviceRow> description={deviceList} batchActions={actions} above={() => <Summary />} drawer={(carId, close) => <DeviceCard carId={carId} onClose={close} />} />
      {dialog}
    </>
  )
}

/** How many there are of each kind, cut down as the list is. */
function Summary() {
  const [{ filters }, setAddress] = useListAddress(deviceList.filters, SORTS)
  const query = useQuery(summaryOf(filters))
  if (query.isLoading) return <Skeleton active paragraph={{ rows: 3 }} />
  if (!query.data) return <LoadFailure query={query} text="设备概况加载失败" />
  const { total, voltages } = query.data
  const most = Math.max(1, ...voltages.map(({ count }) => count))
  return (
    <div className="device-summary">
      <Shares title="在线情况" shares={contactShares(query.data)} total={total} />
      <Shares title="信号分布" shares={signalShares(query.data)} total={total} />
      <section aria-label="电压分布">
        <h2>电压分布</h2>
        {voltages.length === 0 && <p className="weak">还没有设备上报过电压</p>}
        <ol className="device-voltages">
          {voltages.map(({ volts, count }) => (
            <li key={volts} title={`${volts} V：${count} 台`}>
              <i style={{ height: `${Math.max(2, (count / most) * 56)}px`, background: stateStyle[1].color }} />
              <span className="weak figure">{volts}</span>
            </li>
          ))}
        </ol>
      </section>
      <Online filters={filters} />
      <Versions summary={query.data} filters={filters} onFilter={(next) => setAddress({ filters: next, page: 1 })} />
    </div>
  )
}

/** What runs on how many; a click cuts the list down to it, and a second one takes that back. */
function Versions({ summary, filters, onFilter }: { summary: DeviceSummary; filters: Filters; onFilter(filters: Filters): void }) {
  const shares = versionShares(summary)
  const { model: _, firmware: __, introduced: ___, ...others } = filters
  const isChosen = (filter: Filters) => Object.entries(filter).every(([name, value]) => filters[name] === value)
  return (
    <section aria-label="版本分布">
      <h2>
        版本分布 <span className="weak figure">{(summary.total - summary.untold).toLocaleString('zh-CN')} 台已上报</span>
      </h2>
      {shares.length === 0 && <p className="weak">没有设备</p>}
      <div className="device-bar" aria-hidden>
        {shares.map(({ key, count, color }) => (
          <i key={key} style={{ flexGrow: count, background: color }} />
        ))}
      </div>
      <ul>
        {shares.map(({ key, label, count, color, filter }) => {
          const words = (
            <>
              <i style={{ background: color }} aria-hidden />
              {label} <strong className="figure">{count.toLocaleString('zh-CN')}</strong> <span className="weak figure">{percentOf(count, summary.total)}%</span>
            </>
          )
          return (
            <li key={key}>
              {filter ? (
                <button type="button" aria-pressed={isChosen(filter)} onClick={() => onFilter(isChosen(filter) ? others : { ...others, ...filter })}>
                  {words}
                </button>
              ) : (
                words
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

const hourSpans = [
  { value: 24, label: '24 小时' },
  { value: 168, label: '7 天' },
]

/** How much of the time they were on line, hour by hour. */
function Online({ filters }: { filters: Filters }) {
  const [hours, setHours] = useState(24)
  const query = useQuery(onlineOf(filters, hours))
  return (
    <section aria-label="在线率" className="device-online">
      <h2>
        在线率 <Segmented size="small" options={hourSpans} value={hours} onChange={setHours} />
      </h2>
      <LoadFailure query={query} text="在线率加载失败" />
      {query.data && <Picture title="每小时" unit="%" points={query.data.points} valueOf={({ onlinePercent }) => onlinePercent} color={stateStyle[0].color} />}
    </section>
  )
}

function Shares({ title, shares, total }: { title: string; shares: readonly Share[]; total: number }) {
  return (
    <section aria-label={title}>
      <h2>
        {title} <span className="weak figure">{total.toLocaleString('zh-CN')} 台</span>
      </h2>
      <div className="device-bar" aria-hidden>
        {shares.map(({ key, count, color }) => count > 0 && <i key={key} style={{ flexGrow: count, background: color }} />)}
      </div>
      <ul>
        {shares.map(({ key, label, count, color }) => (
          <li key={key}>
            <i style={{ background: color }} aria-hidden />
            {label} <strong className="figure">{count.toLocaleString('zh-CN')}</strong> <span className="weak figure">{percentOf(count, total)}%</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const spans = [
  { value: 180, label: '3 小时' },
  { value: 1440, label: '24 小时' },
  { value: 10_080, label: '7 天' },
]

/** One device: what it reports of itself, how its signal and voltage went, what it may be told. */
function DeviceCard({ carId, onClose }: { carId: string; onClose(): void }) {
  const query = useQuery(vehicleOf(carId))
  const pushed = useVehicleTopic<Vehicle>(carId)
  const vehicle = newer(query.data, pushed.data)
  const [minutes, setMinutes] = useState(180)
  const curve = useQuery(curveOf(carId, minutes))
  const points = curve.data?.points ?? []
  return (
    <FormDrawer title={vehicle?.imei ?? carId} loading={query.isLoading} onClose={onClose}>
      <LoadFailure query={query} text="设备加载失败" />
      {vehicle && (
        <div className="vehicle-card" style={mapVariables('day')}>
          <DeviceFacts vehicle={vehicle} />
          <CommandPanel vehicle={vehicle} />
          <Segmented options={spans} value={minutes} onChange={setMinutes} block />
          <LoadFailure query={curve} text="曲线加载失败" />
          <Picture title="信号" unit="" points={points} valueOf={({ gsm }) => gsm} color={stateStyle[1].color} />
          <Picture title="电压" unit=" V" points={points} valueOf={({ voltageMv }) => (typeof voltageMv === 'number' ? voltageMv / 1000 : null)} color={ink.good} />
          <Link to={infoOf(carId)}>车辆详情</Link>
        </div>
      )}
    </FormDrawer>
  )
}

interface PictureProps<Point> {
  title: string
  unit: string
  points: readonly Point[]
  valueOf(point: Point): number | null | undefined
  color: string
}

/** How a value went. */
function Picture<Point extends { at: number }>({ title, unit, points, valueOf, color }: PictureProps<Point>) {
  const path = curvePath(points, valueOf)
  if (!path) return <p className="weak">{title}：这段时间上报太少</p>
  const said = (value: number) => `${Number.isInteger(value) ? value : value.toFixed(2)}${unit}`
  return (
    <figure className="device-curve">
      <figcaption>
        {title}{' '}
        <span className="weak figure">
          {said(path.least)} – {said(path.most)}
        </span>
      </figcaption>
      <svg viewBox="0 0 432 72" role="img" aria-label={`${title}从 ${said(path.least)} 到 ${said(path.most)}`}>
        <path d={path.line} fill="none" stroke={color} strokeWidth="1.6" strokeLinejoin="round" />
      </svg>
      <p className="weak figure">
        <span>{formatTime(path.from)}</span>
        <span>{formatTime(path.to)}</span>
      </p>
    </figure>
  )
}

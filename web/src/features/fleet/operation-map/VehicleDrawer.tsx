import { CloseOutlined, CopyOutlined, LeftOutlined, RightOutlined } from '@ant-design/icons'
import { App, Button, Result, Skeleton, Tabs } from 'antd'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Link } from 'react-router-dom'

import { failureText } from '@/api/client'
import { usePermit } from '@/kit/Permit'
import type { Palette } from '@/kit/theme'
import { StateTag } from '@/kit/StateTag'

import { infoOf } from '../info/records'
import { CommandPanel } from './CommandPanel'
import { DeviceFacts, Overview, PositionFacts } from './VehicleFacts'
import { ParkedHere } from './ParkedHere'
import { TrackTab } from './TrackTab'
import type { HistoryPoint, Vehicle } from './vehicle'
import { alarmWord, lifecycleWord, ridingWord } from './vehicle'

// Looked at now and then.
const TodayOrders = lazy(() => import('./records/TodayOrders'))
const CommandTimeline = lazy(() => import('./records/CommandTimeline'))
/** Who sees orders, and what a bike was told. */
const MAY = { orders: '1601', commands: '0301||0302||0305||0307' }

interface VehicleDrawerProps {
  carId: string
  vehicle: Vehicle | null
  /** Why there is no data: an error, or the refusal's own words. */
  failure: unknown
  /** Whether what is shown is no longer the present. */
  stale: boolean
  ink: Palette
  onClose: () => void
  /** Goes to a neighbour in the list; null while no list is open. */
  onStep: ((step: 1 | -1) => void) | null
  onTrack: (points: readonly HistoryPoint[]) => void
}

/** The chosen bike: what it is, why it cannot be rented, what can be done. */
export default function VehicleDrawer({ carId, vehicle, failure, stale, ink, onClose, onStep, onTrack }: VehicleDrawerProps) {
  const [tab, setTab] = useState('overview')
  const may = { orders: usePermit(MAY.orders), commands: usePermit(MAY.commands) }
  const waits = <Skeleton active title={false} />
  useEffect(() => {
    if (tab !== 'track') onTrack([])
  }, [tab, onTrack])
  return (
    <aside className={stale ? 'opmap-drawer stale' : 'opmap-drawer'} aria-label={`车辆 ${carId}`}>
      <header className="opmap-drawer-head">
        <div>
          <h2>
            <Link to={infoOf(carId)} title="打开车辆详情">
              {carId}
            </Link>
          </h2>
          <CopyButton text={carId} />
          {vehicle !== null && <StateTag state={vehicle.state} />}
        </div>
        <div>
          {onStep !== null && (
            <>
              <Button type="text" aria-label="列表中的上一辆" icon={<LeftOutlined />} onClick={() => onStep(-1)} />
              <Button type="text" aria-label="列表中的下一辆" icon={<RightOutlined />} onClick={() => onStep(1)} />
            </>
          )}
          <Button type="text" aria-label="关闭" icon={<CloseOutlined />} onClick={onClose} />
        </div>
      </header>
      {vehicle === null ? (
        <Waiting carId={carId} failure={failure} />
      ) : (
        <div className="opmap-drawer-body">
          <StateWords vehicle={vehicle} />
          <PositionFacts vehicle={vehicle} />
          <ParkedHere vehicle={vehicle} />
          <CommandPanel vehicle={vehicle} />
          <Tabs
            activeKey={tab}
            onChange={setTab}
            size="small"
            items={[
              { key: 'overview', label: '概况', children: <Overview vehicle={vehicle} ink={ink} /> },
              { key: 'track', label: '轨迹', children: <TrackTab carId={carId} onTrack={onTrack} /> },
              ...(may.orders ? [{ key: 'orders', label: '今日订单', children: <Suspense fallback={waits}><TodayOrders carId={carId} /></Suspense> }] : []),
              ...(may.commands ? [{ key: 'commands', label: '指令', children: <Suspense fallback={waits}><CommandTimeline carId={carId} /></Suspense> }] : []),
              { key: 'device', label: '设备', children: <DeviceFacts vehicle={vehicle} /> },
            ]}
            destroyOnHidden
          />
        </div>
      )}
    </aside>
  )
}

function Waiting({ carId, failure }: { carId: string; failure: unknown }) {
  if (failure === null || failure === undefined) return <Skeleton active className="opmap-drawer-body" paragraph={{ rows: 8 }} />
  const text = typeof failure === 'string' ? failure : failureText(failure, '没有取到车辆信息')
  return <Result status="warning" title={`${carId} 无法显示`} subTitle={text} />
}

/** The state in words; why not rentable comes first. */
export function StateWords({ vehicle }: { vehicle: Vehicle }) {
  return (
    <section className="opmap-block" aria-label="状态">
      {!vehicle.rentable && vehicle.ridingState === 1 && (
        <div className="opmap-why">
          <h3>为什么不可租</h3>
          {vehicle.reasons.length === 0 ? (
            <p>系统没有给出原因</p>
          ) : (
            <ul>
              {vehicle.reasons.map((reason) => (
                <li key={reason.code}>{reason.text}</li>
              ))}
            </ul>
          )}
        </div>
      )}
      {vehicle.alarmStates.length > 0 && (
        <p className="opmap-alarms">
          {vehicle.alarmStates.map((alarm) => (
            <span key={alarm}>{alarmWord(alarm)}</span>
          ))}
        </p>
      )}
      <p className="opmap-sentence">
        {vehicle.rentable ? '可以租用' : ridingWord(vehicle.ridingState)}，{lifecycleWord(vehicle.lifecycle)}，
        {vehicle.online ? '在线' : '离线'}，{vehicle.locked === null ? '锁状态未知' : vehicle.locked ? '已上锁' : '未上锁'}
        {vehicle.moving === true && vehicle.speed !== null ? `，正以 ${vehicle.speed} km/h 移动` : ''}
        <span className="opmap-weak"> · {vehicle.areaName}</span>
      </p>
    </section>
  )
}

function CopyButton({ text }: { text: string }) {
  const { message } = App.useApp()
  const copy = async () => {
    // On plain http there is no clipboard; the number then stays selectable.
    if (navigator.clipboard === undefined) {
      void message.info('浏览器不允许复制，请手动选择编号')
      return
    }
    await navigator.clipboard.writeText(text)
    void message.success('已复制')
  }
  return <Button type="text" size="small" aria-label="复制编号" icon={<CopyOutlined />} onClick={() => void copy()} />
}

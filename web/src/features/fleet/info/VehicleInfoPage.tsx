import { useQuery } from '@tanstack/react-query'
import { Button, Dropdown, Result, Skeleton, Tabs, Tag } from 'antd'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router-dom'
import { failureText } from '@/api/client'
import { usePermit } from '@/kit/Permit'
import { allows, useCodes } from '@/kit/permission/held'
import { StateTag } from '@/kit/StateTag'
import { page } from '@/kit/theme'
import { useVehicleTopic } from '@/live/hooks'
import { mapVariables } from '@/map/MapView'
import { placeOnMap } from '../alarms/alarm'
import { BikeAlarms } from '../alarms/BikeAlarms'
import { acts } from '../keeping/acts'
import { useKeep } from '../keeping/useKeep'
import { CommandPanel } from '../operation-map/CommandPanel'
import { vehicleOf } from '../operation-map/queries'
import { TrackTab } from '../operation-map/TrackTab'
import { StateWords } from '../operation-map/VehicleDrawer'
import { DeviceFacts, Overview, PositionFacts } from '../operation-map/VehicleFacts'
import { newer } from '../operation-map/newer'
import type { HistoryPoint, Vehicle } from '../operation-map/vehicle'
import { BikeBindings, BikeCommands, BikeLife, BikeOrders, BikeTalk } from './BikeRecords'
import '../operation-map/operationMap.css'
import './info.css'

const BikeMap = lazy(() => import('./BikeMap'))
const NO_POINTS: readonly HistoryPoint[] = []

/** 车辆详情: everything of one bike, as a page of its own. */
export default function VehicleInfoPage() {
  const [params] = useSearchParams()
  const carId = params.get('carId')?.trim() ?? ''
  const navigate = useNavigate()
  if (carId === '') {
    return <Result status="warning" title="地址中缺少车辆编号" extra={<Button onClick={() => void navigate('/vehicle/vehicle-query')}>去车辆查询</Button>} />
  }
  return <Bike key={carId} carId={carId} />
}

function Bike({ carId }: { carId: string }) {
  const query = useQuery(vehicleOf(carId))
  const pushed = useVehicleTopic<Vehicle>(carId)
  const vehicle = newer(query.data, pushed.data)
  const [points, setPoints] = useState(NO_POINTS)
  if (!vehicle && query.isError) {
    return (
      <Result
        status="warning"
        title={`${carId} 无法显示`}
        subTitle={failureText(query.error, '没有取到车辆信息')}
        extra={<Button onClick={() => void query.refetch()}>重试</Button>}
      />
    )
  }
  if (!vehicle) return <Skeleton active className="vehicle-info" paragraph={{ rows: 14 }} />
  return (
    <div className="vehicle-info" style={mapVariables('day')}>
      <header className="vehicle-info-head panel">
        <div>
          <h1>{carId}</h1>
          <StateTag state={vehicle.state} />
          {vehicle.tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
        </div>
        <KeepMenu carId={carId} />
      </header>
      <div className="vehicle-info-body">
        <section className="panel vehicle-info-now" aria-label="当前状态">
          <StateWords vehicle={vehicle} />
          <PositionFacts vehicle={vehicle} />
          <Commands vehicle={vehicle} />
          <Overview vehicle={vehicle} ink={page} />
          <h2>设备</h2>
          <DeviceFacts vehicle={vehicle} />
        </section>
        <div className="vehicle-info-more">
          <section className="panel" aria-label="位置与轨迹">
            <Suspense fallback={<Skeleton active />}>
              <BikeMap vehicle={vehicle} points={points} />
            </Suspense>
            <TrackTab carId={carId} onTrack={setPoints} />
          </section>
          <Records carId={carId} />
        </div>
      </div>
    </div>
  )
}

function Commands({ vehicle }: { vehicle: Vehicle }) {
  return usePermit('0301||0305') ? <CommandPanel vehicle={vehicle} /> : null
}

/** What is done with the bike: onto the street, off it, lost, scrapped … Commands to its device stand beside its state. */
function KeepMenu({ carId }: { carId: string }) {
  const { run, dialog } = useKeep()
  const codes = useCodes()
  const may = acts.filter((act) => 'keep' in act && allows(act.code, codes))
  const onClick = ({ key }: { key: string }) => {
    const act = may.find((one) => one.key === key)
    if (act) run(act, [{ carId }], () => undefined)
  }
  return (
    <div className="vehicle-info-acts">
      {allows('0301', codes) && <Link to={placeOnMap(carId)}>在地图上查看</Link>}
      {may.length > 0 && (
        <Dropdown trigger={['click']} menu={{ items: may.map(({ key, label, danger = false }) => ({ key, label, danger })), onClick }}>
          <Button type="primary">车辆操作</Button>
        </Dropdown>
      )}
      {dialog}
    </div>
  )
}

interface Kept {
  key: string
  label: string
  need: string
  children: ReactNode
}

/** What was: to each what he may look at. */
function Records({ carId }: { carId: string }) {
  const codes = useCodes()
  const all: readonly Kept[] = [
    { key: 'orders', label: '订单', need: '1601', children: <BikeOrders carId={carId} /> },
    { key: 'alarms', label: '报警', need: '0301||0302', children: <BikeAlarms carId={carId} /> },
    { key: 'commands', label: '指令', need: '0301||030601||0302||0305||0307', children: <BikeCommands carId={carId} /> },
    { key: 'life', label: '车辆日志', need: '1402', children: <BikeLife carId={carId} /> },
    { key: 'talk', label: '设备日志', need: '1403', children: <BikeTalk carId={carId} /> },
    { key: 'bindings', label: '绑定记录', need: '1402', children: <BikeBindings carId={carId} /> },
  ]
  const may = all.filter(({ need }) => allows(need, codes))
  if (may.length === 0) return null
  return (
    <section className="panel" aria-label="记录">
      <Tabs destroyOnHidden items={may.map(({ key, label, children }) => ({ key, label, children }))} />
    </section>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Space, Tabs } from 'antd'
import { Link } from 'react-router-dom'
import { FormDrawer } from '@/kit/FormDrawer'
import { LoadFailure } from '@/kit/LoadFailure'
import { Permit } from '@/kit/Permit'
import { page } from '@/kit/theme'
import { useVehicleTopic } from '@/live/hooks'
import { mapVariables } from '@/map/MapView'
import { placeOnMap } from '../alarms/alarm'
import { BikeAlarms } from '../alarms/BikeAlarms'
import { infoOf } from '../info/records'
import { CommandPanel } from '../operation-map/CommandPanel'
import { vehicleOf } from '../operation-map/queries'
import { StateWords } from '../operation-map/VehicleDrawer'
import { DeviceFacts, Overview, PositionFacts } from '../operation-map/VehicleFacts'
import { newer } from '../operation-map/newer'
import type { Vehicle } from '../operation-map/vehicle'
import '../operation-map/operationMap.css'

/** One bike beside its list, as it is now: state, position, commands, alarms. */
export function VehicleCard({ carId, onClose }: { carId: string; onClose(): void }) {
  const query = useQuery(vehicleOf(carId))
  const pushed = useVehicleTopic<Vehicle>(carId)
  const vehicle = newer(query.data, pushed.data)
  return (
    <FormDrawer title={carId} loading={query.isLoading} onClose={onClose}>
      <LoadFailure query={query} text="车辆加载失败" />
      {vehicle && (
        <div className="vehicle-card" style={mapVariables('day')}>
          <StateWords vehicle={vehicle} />
          <PositionFacts vehicle={vehicle} />
          <Permit need="0301||0305">
            <CommandPanel vehicle={vehicle} />
          </Permit>
          <Tabs
            size="small"
            destroyOnHidden
            items={[
              { key: 'overview', label: '概况', children: <Overview vehicle={vehicle} ink={page} /> },
              { key: 'alarms', label: '报警', children: <BikeAlarms carId={carId} /> },
              { key: 'device', label: '设备', children: <DeviceFacts vehicle={vehicle} /> },
            ]}
          />
          <Space size="middle">
            <Link to={infoOf(carId)}>车辆详情</Link>
            <Permit need="0301">
              <Link to={placeOnMap(carId)}>在地图上查看</Link>
            </Permit>
          </Space>
        </div>
      )}
    </FormDrawer>
  )
}

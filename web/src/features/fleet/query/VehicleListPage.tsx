import { ListPage } from '@/kit/list/ListPage'
import { VehicleCard } from './VehicleCard'
import { type VehicleListed, vehicleList } from './vehicles'

/** 车辆: bikes by number. */
export default function VehicleListPage() {
  return <ListPage<VehicleListed> description={vehicleList} drawer={(carId, close) => <VehicleCard carId={carId} onClose={close} />} />
}

import { ListPage } from '@/kit/list/ListPage'
import { VehicleEventDrawer } from './VehicleEventDrawer'
import { type VehicleEvent, vehicleLog } from './vehicleLog'

/** 车辆日志: lives of bikes, event by event. */
export default function VehicleLogPage() {
  return <ListPage<VehicleEvent> description={vehicleLog} drawer={(id, close) => <VehicleEventDrawer id={id} onClose={close} />} />
}

import { useMemo } from 'react'
import { ListPage } from '@/kit/list/ListPage'
import { batchActionsOf, useKeep } from '../keeping/useKeep'
import { VehicleCard } from './VehicleCard'
import { type VehicleListed, vehicleList } from './vehicles'

/** 车辆: bikes by number. */
export default function VehicleListPage() {
  const { run, dialog } = useKeep()
  const actions = useMemo(() => batchActionsOf<VehicleListed>(run), [run])
  return (
    <>
      <ListPage<VehicleListed> description={vehicleList} batchActions={actions} drawer={(carId, close) => <VehicleCard carId={carId} onClose={close} />} />
      {dialog}
    </>
  )
}

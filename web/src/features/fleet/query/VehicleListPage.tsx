import { useMemo } from 'react'
import { ListPage } from '@/kit/list/ListPage'
import { batchActionsOf, useKeep } from '../keeping/useKeep'
import { VehicleCard } from './VehicleCard'
import { schemeOptions, useSchemes } from '@/kit/schemeChoices'
import { type VehicleListed, vehicleListOf } from './vehicles'

/** 车辆: bikes by number. */
export default function VehicleListPage() {
  const { run, dialog } = useKeep()
  const actions = useMemo(() => batchActionsOf<VehicleListed>(run), [run])
  const { schemes } = useSchemes()
  const description = useMemo(() => vehicleListOf(schemeOptions(schemes)), [schemes])
  return (
    <>
      <ListPage<VehicleListed> description={description} batchActions={actions} drawer={(carId, close) => <VehicleCard carId={carId} onClose={close} />} />
      {dialog}
    </>
  )
}

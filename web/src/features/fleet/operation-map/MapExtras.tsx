import type { FenceMap } from '@/map/fences/fences'
import { HeatOnMap, MarksOnMap, StationsOnMap } from '@/map/ExtraLayers'
import type { Daylight } from '@/map/palette'
import type { Mask } from '@/map/vehicles/fleetMath'

import { useStationMarks } from './useStationMarks'

interface MapExtrasProps {
  daylight: Daylight
  /** The states that heat counts; null: no heat. */
  heat: Mask | null
  stations: boolean
  fences: FenceMap | undefined
  /** Slots of the bikes with a ring. */
  marked: readonly number[]
}

/** What somebody laid on the map: it comes then, not with the map. */
export default function MapExtras({ daylight, heat, stations, fences, marked }: MapExtrasProps) {
  const marks = useStationMarks(stations, fences)
  return (
    <>
      {heat !== null && <HeatOnMap daylight={daylight} mask={heat} />}
      {stations && <StationsOnMap daylight={daylight} marks={marks} />}
      {marked.length > 0 && <MarksOnMap daylight={daylight} slots={marked} />}
    </>
  )
}

/** What is laid on the map when somebody asks for it. */
import { useEffect } from 'react'
import { useMap } from 'react-leaflet'

import { fleet } from '@/live/live'

import { HeatLayer } from './HeatLayer'
import { MarkLayer } from './MarkLayer'
import type { Daylight } from './palette'
import { StationLayer, type StationMark } from './StationLayer'
import type { Mask } from './vehicles/fleetMath'

/** How full parking places are. */
export function StationsOnMap({ daylight, marks }: { daylight: Daylight; marks: readonly StationMark[] }) {
  const map = useMap()
  useEffect(() => {
    const layer = new StationLayer(daylight)
    layer.setMarks(marks)
    layer.addTo(map)
    return () => {
      layer.remove()
    }
  }, [map, daylight, marks])
  return null
}

/** Where the bikes are dense that the legend leaves. */
export function HeatOnMap({ daylight, mask }: { daylight: Daylight; mask: Mask }) {
  const map = useMap()
  useEffect(() => {
    const layer = new HeatLayer(fleet, daylight)
    layer.setMask(mask)
    layer.addTo(map)
    return () => {
      layer.remove()
    }
  }, [map, daylight, mask])
  return null
}

/** Rings around the bikes in these slots. */
export function MarksOnMap({ daylight, slots }: { daylight: Daylight; slots: readonly number[] }) {
  const map = useMap()
  useEffect(() => {
    const layer = new MarkLayer(fleet, daylight)
    layer.setSlots(slots)
    layer.addTo(map)
    return () => {
      layer.remove()
    }
  }, [map, daylight, slots])
  return null
}

import type { LeafletMouseEvent } from 'leaflet'
import { useEffect, useRef, useState } from 'react'
import { useMap } from 'react-leaflet'

import type { FleetFeed } from '@/live/fleetFeed'
import { exposeFleet } from '@/map/exposeFleet'
import type { Daylight } from '@/map/palette'
import type { Mask } from '@/map/vehicles/fleetMath'
import { VehicleLayer } from '@/map/vehicles/VehicleLayer'

interface PastOnMapProps {
  feed: FleetFeed
  daylight: Daylight
  mask: Mask
  /** A bike was clicked, the topmost where there are several. */
  onHit: (number: number) => void
}

/** The fleet of a past moment, drawn like the live one. */
export function PastOnMap({ feed, daylight, mask, onHit }: PastOnMapProps) {
  const map = useMap()
  const [layer] = useState(() => new VehicleLayer(feed))
  const told = useRef(onHit)
  useEffect(() => {
    told.current = onHit
  }, [onHit])
  useEffect(() => {
    layer.addTo(map)
    const hide = exposeFleet(layer, feed, map)
    const click = (event: LeafletMouseEvent) => {
      const hit = layer.hit(event.containerPoint)
      if (hit?.kind === 'bikes' && hit.slots[0] !== undefined) told.current(hit.slots[0])
      else if (hit !== null) map.setView(event.latlng, map.getZoom() + 2)
    }
    map.on('click', click)
    return () => {
      map.off('click', click)
      hide()
      layer.remove()
    }
  }, [map, layer, feed])
  useEffect(() => layer.setLook({ daylight, mask, stale: false }), [layer, daylight, mask])
  return null
}

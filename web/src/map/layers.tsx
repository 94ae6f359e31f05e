/** The layers of the map as components: they hold no data, only hand it to the canvases. */
import L from 'leaflet'
import { useEffect, useRef, useState } from 'react'
import { useMap } from 'react-leaflet'

import { fleet, lookAt, watchFleet } from '@/live/live'

import { type FenceMap, shapesOf } from './fences/fences'
import { FenceLayer } from './fences/FenceLayer'
import type { Daylight } from './palette'
import { TrackLayer, type TrackPoint } from './TrackLayer'
import { CLUSTER_ZOOM, VehicleLayer } from './vehicles/VehicleLayer'
import { watchWindow } from './watchWindow'
import { exposeFleet } from './exposeFleet'
import type { Mask } from './vehicles/fleetMath'

export interface FleetOnMapProps {
  daylight: Daylight
  mask: Mask
  /** Whether what is shown is no longer the present. */
  stale: boolean
  /** A bike was clicked; the page asks which it is. */
  onHit: (slot: number) => void
  /** Bikes (or cells) in view, at most twice a second. */
  onInView?: (count: number) => void
}

const IN_VIEW_EVERY_MS = 500

/** The live fleet: watches what the map looks at and draws it. */
export function FleetOnMap({ daylight, mask, stale, onHit, onInView }: FleetOnMapProps) {
  const map = useMap()
  const [layer] = useState(() => new VehicleLayer(fleet))
  const hit = useRef(onHit)
  useEffect(() => {
    hit.current = onHit
  }, [onHit])

  useEffect(() => {
    const leave = watchFleet()
    layer.addTo(map)
    const hide = exposeFleet(layer, fleet, map)
    return () => {
      hide()
      layer.remove()
      leave()
    }
  }, [map, layer])

  useEffect(() => {
    const look = watchWindow(map, lookAt)
    map.on('moveend', look)
    map.on('resize', look)
    look()
    return () => {
      map.off('moveend', look)
      map.off('resize', look)
      lookAt(null)
    }
  }, [map])

  useEffect(() => {
    const click = (event: L.LeafletMouseEvent) => {
      const slot = layer.hit(event.containerPoint)
      if (slot >= 0) hit.current(slot)
      else if (layer.stats.mode === 'cells' && map.getZoom() <= CLUSTER_ZOOM && layer.stats.inView > 0) {
        map.setView(event.latlng, Math.min(CLUSTER_ZOOM + 2, map.getZoom() + 2))
      }
    }
    const point = (event: L.LeafletMouseEvent) => {
      map.getContainer().classList.toggle('pointing', layer.hit(event.containerPoint) >= 0)
    }
    map.on('click', click)
    map.on('mousemove', point)
    return () => {
      map.off('click', click)
      map.off('mousemove', point)
    }
  }, [map, layer])

  useEffect(() => layer.setDaylight(daylight), [layer, daylight])
  useEffect(() => layer.setMask(mask), [layer, mask])
  useEffect(() => layer.setStale(stale), [layer, stale])

  useEffect(() => {
    if (onInView === undefined) return undefined
    const timer = window.setInterval(() => onInView(layer.stats.inView), IN_VIEW_EVERY_MS)
    return () => window.clearInterval(timer)
  }, [layer, onInView])
  return null
}

/** Areas, parkings and no-stop zones. */
export function FencesOnMap({ daylight, fences }: { daylight: Daylight; fences: FenceMap | undefined }) {
  const map = useMap()
  useEffect(() => {
    if (fences === undefined) return undefined
    const layer = new FenceLayer(daylight)
    layer.setShapes(shapesOf(fences))
    layer.addTo(map)
    return () => {
      layer.remove()
    }
  }, [map, daylight, fences])
  return null
}

/** The way a bike went. */
export function TrackOnMap({ daylight, points }: { daylight: Daylight; points: readonly TrackPoint[] }) {
  const map = useMap()
  useEffect(() => {
    if (points.length === 0) return undefined
    const layer = new TrackLayer(daylight)
    layer.setPoints(points)
    layer.addTo(map)
    return () => {
      layer.remove()
    }
  }, [map, daylight, points])
  return null
}

/** The ring around the chosen bike, with its number; give it the number as `key`. */
export function SelectedOnMap({ carId, lat, lng }: { carId: string; lat: number; lng: number }) {
  const map = useMap()
  const [marker] = useState(() => {
    const name = document.createElement('span')
    name.textContent = carId
    const icon = L.divIcon({ className: 'bike-selected', iconSize: [28, 28], html: name })
    return L.marker([lat, lng], { icon, interactive: false, keyboard: false })
  })
  useEffect(() => {
    marker.addTo(map)
    return () => {
      marker.remove()
    }
  }, [map, marker])
  useEffect(() => {
    marker.setLatLng([lat, lng])
  }, [marker, lat, lng])
  return null
}

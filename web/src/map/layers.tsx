/** The layers of the map as components: they hold no data, only hand it to the canvases. */
import L from 'leaflet'
import { useEffect, useRef, useState } from 'react'
import { useMap } from 'react-leaflet'

import { bikeNames, fleet, lookAt, type MapViewer, watchFleet } from '@/live/live'
import type { Pick } from '@/live/messages'

import { type FenceMap, shapesOf } from './fences/fences'
import { FenceLayer } from './fences/FenceLayer'
import type { Daylight } from './palette'
import { TrackLayer, type TrackPoint } from './TrackLayer'
import { CLUSTER_ZOOM, VehicleLayer } from './vehicles/VehicleLayer'
import { type BoxDegrees, watchWindow } from './watchWindow'
import { exposeFleet } from './exposeFleet'
import { hoverText } from './hoverText'
import type { Mask } from './vehicles/fleetMath'

export interface FleetOnMapProps {
  daylight: Daylight
  mask: Mask
  /** Whether what is shown is no longer the present. */
  stale: boolean
  /** A bike was clicked; the page asks which it is. */
  onHit: (slot: number) => void
  /** Several at one place were clicked, the topmost first; `at` in the map's container. */
  onSeveral: (slots: readonly number[], at: { readonly x: number; readonly y: number }) => void
  /** The box of a list that has to hold every bike in it; null watches the view alone. */
  all: BoxDegrees | null
  /** Which bikes; null: all. The same pick is the same object. */
  pick: Pick | null
  /** Bikes (or cells) in view, at most twice a second. */
  onInView?: (count: number) => void
  viewer?: MapViewer
}

const IN_VIEW_EVERY_MS = 500
/** A count further out than this holds more bikes than a list at the pointer is for: a click goes nearer. */
const LIST_ZOOM = 15

/** The live fleet: watches what the map looks at and draws it. */
export function FleetOnMap({ daylight, mask, stale, onHit, onSeveral, all, pick, onInView, viewer = 'map' }: FleetOnMapProps) {
  const map = useMap()
  const [layer] = useState(() => new VehicleLayer(fleet))
  const told = useRef({ onHit, onSeveral })
  useEffect(() => {
    told.current = { onHit, onSeveral }
  }, [onHit, onSeveral])

  useEffect(() => {
    const leave = watchFleet()
    layer.addTo(map)
    const hide = exposeFleet(layer, fleet, map)
    const unlabel = labelHovered(map, layer)
    return () => {
      unlabel()
      hide()
      layer.remove()
      leave()
    }
  }, [map, layer])

  const [look] = useState(() => watchWindow(map, (next) => lookAt(next, viewer)))
  useEffect(() => {
    const follow = () => look(all, pick)
    map.on('moveend', follow)
    map.on('resize', follow)
    follow()
    return () => {
      map.off('moveend', follow)
      map.off('resize', follow)
    }
  }, [map, look, all, pick])
  useEffect(() => () => lookAt(null, viewer), [viewer])

  useEffect(() => {
    const click = (event: L.LeafletMouseEvent) => {
      const hit = layer.hit(event.containerPoint)
      const counted = hit?.kind === 'stop' ? hit.stop : null
      if (hit?.kind === 'bikes' && hit.slots.length === 1) told.current.onHit(hit.slots[0]!)
      else if (hit?.kind === 'bikes') told.current.onSeveral(hit.slots, event.containerPoint)
      else if (counted !== null && map.getZoom() >= LIST_ZOOM) told.current.onSeveral(counted.slots(), event.containerPoint)
      else if (counted !== null) map.setView(event.latlng, map.getZoom() + 2)
      else if (layer.stats.mode === 'cells' && map.getZoom() <= CLUSTER_ZOOM && layer.stats.inView > 0) {
        map.setView(event.latlng, Math.min(CLUSTER_ZOOM + 2, map.getZoom() + 2))
      }
    }
    map.on('click', click)
    return () => {
      map.off('click', click)
    }
  }, [map, layer])

  useEffect(() => layer.setLook({ daylight, mask, stale }), [layer, daylight, mask, stale])

  useEffect(() => {
    if (onInView === undefined) return undefined
    const timer = window.setInterval(() => onInView(layer.stats.inView), IN_VIEW_EVERY_MS)
    return () => window.clearInterval(timer)
  }, [layer, onInView])
  return null
}

/** Says beside the pointer what lies under it, until the answer is called. */
function labelHovered(map: L.Map, layer: VehicleLayer): () => void {
  const label = L.tooltip({ className: 'bike-label', direction: 'top', offset: [0, -10], opacity: 1 })
  const text = document.createElement('span')
  label.setContent(text)
  let at: L.Point | null = null
  const say = () => {
    const hit = at === null ? null : layer.hit(at)
    map.getContainer().classList.toggle('pointing', hit !== null)
    if (at === null || hit === null) {
      label.remove()
      return
    }
    text.textContent = hoverText(hit, fleet.bikes, (slot) => bikeNames.of(slot))
    label.setLatLng(map.containerPointToLatLng(at))
    if (!map.hasLayer(label)) label.addTo(map)
  }
  const point = (event: L.LeafletMouseEvent) => {
    at = event.containerPoint
    say()
  }
  const leave = () => {
    at = null
    say()
  }
  // A finger points at nothing: its taps open what they hit.
  if (!window.matchMedia('(hover: hover)').matches) return () => undefined
  map.on('mousemove', point)
  map.on('mouseout dragstart zoomstart', leave)
  layer.on('painted', say)
  const unnamed = bikeNames.onChange(say)
  return () => {
    unnamed()
    layer.off('painted', say)
    map.off('mousemove', point)
    map.off('mouseout dragstart zoomstart', leave)
    label.remove()
  }
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

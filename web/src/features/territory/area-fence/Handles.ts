import L, { type Map as LeafletMap } from 'leaflet'
import { useEffect, useEffectEvent } from 'react'
import { cornersIn, HANDLES_MOST, inserted, middleOf, moved, nearest, type Place, removed, type Ring, sidesIn } from './corners'
import { edgeLayer, latLngsOf } from './EdgeOnMap'

interface HandlesProps {
  map: LeafletMap
  ring: Ring
  /** Where a place is drawn to; nothing when it stays. */
  snap(place: Place): Place | undefined
  onChange(ring: Ring): void
  /** How many corners are in sight, and how many of them can be taken hold of. */
  onSight(sight: Sight): void
}

export interface Sight {
  corners: number
  handles: number
}

const CORNER_PX = 14
const MIDDLE_PX = 10

const icon = (kind: 'corner' | 'middle', side_px: number) => L.divIcon({ className: `edge-handle edge-${kind}`, iconSize: [side_px, side_px] })

/** An edge that is drawn anew corner by corner: those in sight can be taken hold of, when they are few enough to be told apart. */
export function Handles({ map, ring, snap, onChange, onSight }: HandlesProps) {
  const aim = useEffectEvent(snap)
  const change = useEffectEvent(onChange)
  const sight = useEffectEvent(onSight)
  useEffect(() => {
    const edge = edgeLayer(ring, 'drawn').addTo(map)
    const handles = L.layerGroup().addTo(map)
    const handle = ([lng, lat]: Place, kind: 'corner' | 'middle', then: (place: Place) => Ring) => {
      const marker = L.marker([lat, lng], { icon: icon(kind, kind === 'corner' ? CORNER_PX : MIDDLE_PX), draggable: true, keyboard: false })
      const here = (): Place => [marker.getLatLng().lng, marker.getLatLng().lat]
      marker.on('drag', (event) => {
        // While Alt is held nothing is snapped to.
        const free = (event as unknown as { originalEvent?: MouseEvent }).originalEvent?.altKey
        const near = free ? undefined : aim(here())
        if (near) marker.setLatLng([near[1], near[0]])
        edge.setLatLngs(latLngsOf(then(here())))
      })
      marker.on('dragend', () => change(then(here())))
      return marker.addTo(handles)
    }
    const show = () => {
      handles.clearLayers()
      const bounds = map.getBounds()
      const box = { west: bounds.getWest(), south: bounds.getSouth(), east: bounds.getEast(), north: bounds.getNorth() }
      const inSight = cornersIn(ring, box)
      const crowded = inSight.length > HANDLES_MOST
      // As near as the map goes, those in the middle stand apart.
      const few = crowded && map.getZoom() < map.getMaxZoom() ? [] : inSight
      const { lng: middleLng, lat: middleLat } = map.getCenter()
      const corners = nearest(ring, few, [middleLng, middleLat], HANDLES_MOST)
      sight({ corners: inSight.length, handles: corners.length })
      const taken = new Set(corners)
      for (const index of sidesIn(ring, box).filter((side) => !crowded || taken.has(side)).slice(0, HANDLES_MOST)) handle(middleOf(ring, index), 'middle', (place) => inserted(ring, index, place))
      for (const index of corners) {
        const [lng, lat] = ring[index]!
        const corner = handle([lng!, lat!], 'corner', (place) => moved(ring, index, place))
        corner.on('contextmenu', () => change(removed(ring, index)))
      }
    }
    show()
    map.on('moveend', show)
    map.on('resize', show)
    return () => {
      map.off('moveend', show)
      map.off('resize', show)
      handles.remove()
      edge.remove()
    }
  }, [map, ring])
  return null
}

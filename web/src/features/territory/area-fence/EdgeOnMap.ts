import L, { type Map as LeafletMap } from 'leaflet'
import { useEffect } from 'react'
import { mapPalettes } from '@/map/palette'
import type { Ring } from './corners'

const { accent, area } = mapPalettes.day
const looks = {
  /** What is drawn. */
  drawn: { color: accent, weight: 2.5, fillColor: accent, fillOpacity: 0.06 },
  /** What held before. */
  before: { color: area, weight: 2, dashArray: '6 6', fill: false },
} as const

export const latLngsOf = (ring: Ring): [number, number][] => ring.map(([lng, lat]) => [lat!, lng!])

/** An edge on a map, on a canvas: ten thousand corners of it are one path. */
export function edgeLayer(ring: Ring, look: keyof typeof looks): L.Polygon {
  return L.polygon(latLngsOf(ring), { ...looks[look], renderer: L.canvas(), interactive: false })
}

/** The same as a component. */
export function EdgeOnMap({ map, ring, look }: { map: LeafletMap; ring: Ring; look: keyof typeof looks }) {
  useEffect(() => {
    const layer = edgeLayer(ring, look).addTo(map)
    return () => {
      layer.remove()
    }
  }, [map, ring, look])
  return null
}

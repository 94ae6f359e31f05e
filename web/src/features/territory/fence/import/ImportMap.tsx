import L, { type Map as LeafletMap } from 'leaflet'
import { useEffect, useMemo, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { useBrandStore } from '@/app/brand'
import { FencesOnMap } from '@/map/layers'
import { firstLook } from '@/map/firstLook'
import { MapView } from '@/map/MapView'
import { fencesAround, type Geometry } from '../fence'
import { boundsOfRing, ringOf, ZOOM_MOST } from '../geometry'
import type { Drawing, Fault } from './drawings'

interface ImportMapProps {
  areaId: string
  drawings: readonly Drawing[]
  faults: readonly Fault[]
  /** From the file's datum to that of the map. */
  place(corner: readonly number[]): number[]
  /** The one that is looked at. */
  shown: Fault | null
}

/** What a file would draw, and in red what it would not. */
export default function ImportMap({ areaId, drawings, faults, place, shown }: ImportMapProps) {
  const around = useQuery(fencesAround)
  const tiles = useBrandStore((store) => store.config?.tiles ?? null)
  const [map, setMap] = useState<LeafletMap | null>(null)
  const area = around.data?.areas.find(({ id }) => id === areaId)
  const fences = useMemo(() => {
    const shape = (name: string, geometry: Geometry, index: number) => {
      return { id: String(index), areaId, name: '', capacity: 0, ring: ringOf(geometry).map(place), title: name }
    }
    const wrong = new Set(faults.map((fault) => fault.geometry))
    return {
      areas: area ? [area] : [],
      parkings: drawings.filter(({ geometry }) => !wrong.has(geometry)).map(({ name, geometry }, index) => shape(name, geometry, index)),
      noStops: faults.flatMap(({ name, geometry }, index) => (geometry ? [shape(name, geometry, index)] : [])),
    }
  }, [area, areaId, drawings, faults, place])
  const reach = useMemo(() => {
    const corners = [...fences.parkings, ...fences.noStops].flatMap(({ ring }) => ring)
    const all = corners.length > 0 ? corners : (area?.ring ?? [])
    return all.length > 0 ? boundsOfRing(all) : null
  }, [fences, area])
  useEffect(() => {
    if (!map || !reach) return undefined
    return firstLook(map, () => map.fitBounds(reach, { padding: [24, 24], animate: false, maxZoom: ZOOM_MOST }))
  }, [map, reach])
  useEffect(() => {
    if (!map || !shown) return undefined
    const ring = shown.geometry ? ringOf(shown.geometry).map(place) : []
    const [lng, lat] = shown.spot ?? ring[0] ?? []
    if (lng === undefined || lat === undefined) return undefined
    const mark = L.circleMarker([lat, lng], { className: 'import-spot', radius: 9 }).addTo(map)
    map.setView([lat, lng], ZOOM_MOST - 1, { animate: false })
    return () => void mark.remove()
  }, [map, shown, place])
  const [lng, lat] = area?.ring[0] ?? fences.parkings[0]?.ring[0] ?? []
  if (lng === undefined || lat === undefined) return null
  return (
    <div className="fence-preview">
      <MapView start={{ lat, lng, zoom: 13 }} daylight="day" tiles={tiles} label="文件里的围栏" reach={reach} onReady={setMap}>
        <FencesOnMap daylight="day" fences={fences} />
      </MapView>
    </div>
  )
}

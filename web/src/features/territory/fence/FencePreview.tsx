import { useQuery } from '@tanstack/react-query'
import L, { type Map as LeafletMap } from 'leaflet'
import { useEffect, useMemo, useState } from 'react'
import { useBrandStore } from '@/app/brand'
import type { FenceMap } from '@/map/fences/fences'
import { FencesOnMap } from '@/map/layers'
import { MapView } from '@/map/MapView'
import { mapPalettes } from '@/map/palette'
import { type StopDot, StopsOnMap } from '@/map/StopsOnMap'
import { firstLook } from '@/map/firstLook'
import { latLngsOf } from '../area-fence/EdgeOnMap'
import { type Fence, fencesAround, type FenceType, type Geometry, isBan } from './fence'
import { boundsOfRing, ringOf, ZOOM_MOST } from './geometry'
import './fence.css'

const MARGIN_PX: [number, number] = [48, 48]
const { parking, noStop, noRide, area, custom } = mapPalettes.day
/** What the map draws such fences in. */
const inks: Readonly<Record<FenceType, string>> = { parking, noStop, noRide, maintain: area, custom }

interface FencePreviewProps {
  /** Without a type: a maintenance area. */
  fence: Pick<Fence, 'id' | 'name' | 'opAreaId'> & Partial<Pick<Fence, 'type'>>
  geometry: Geometry
  /** The edge that it is compared with. */
  against?: Geometry | undefined
  /** Where bikes stopped about it. */
  stops?: readonly StopDot[]
}

/** Where a fence lies, in the colour of its kind, and, hatched, where another of its versions did. */
export default function FencePreview({ fence, geometry, against, stops }: FencePreviewProps) {
  const { id, name, opAreaId, type = 'maintain' } = fence
  const around = useQuery(fencesAround)
  const tiles = useBrandStore((store) => store.config?.tiles ?? null)
  const [map, setMap] = useState<LeafletMap | null>(null)
  const ring = useMemo(() => ringOf(geometry), [geometry])
  const other = useMemo(() => against && ringOf(against), [against])
  const fences = useMemo<FenceMap>(() => {
    const areas = around.data?.areas.filter((area) => area.id === opAreaId) ?? []
    // A ban is hatched itself, unless hatching says where it was before.
    const hatched = other ?? (isBan(type) ? ring : null)
    const zones = hatched ? [{ id, areaId: opAreaId, name: '', capacity: 0, ring: hatched }] : []
    return type === 'noRide' ? { areas, parkings: [], noStops: [], noRides: zones } : { areas, parkings: [], noStops: zones }
  }, [around.data, id, opAreaId, type, ring, other])
  const reach = useMemo(() => boundsOfRing([...ring, ...(other ?? [])]), [ring, other])
  useEffect(() => {
    const look = () => map?.fitBounds(reach, { padding: MARGIN_PX, animate: false, maxZoom: ZOOM_MOST })
    return map ? firstLook(map, look) : undefined
  }, [map, reach])
  useEffect(() => {
    if (!map) return undefined
    const ink = inks[type]
    const layer = L.polygon(latLngsOf(ring), { color: ink, weight: 2, fillColor: ink, fillOpacity: 0.12, interactive: false }).addTo(map)
    return () => {
      layer.remove()
    }
  }, [map, ring, type])
  return (
    <div className="fence-preview">
      <MapView start={{ lat: ring[0]![1]!, lng: ring[0]![0]!, zoom: 16 }} daylight="day" tiles={tiles} label={`围栏「${name}」的边界`} reach={reach} onReady={setMap}>
        <FencesOnMap daylight="day" fences={fences} />
        {stops && <StopsOnMap dots={stops} />}
      </MapView>
    </div>
  )
}

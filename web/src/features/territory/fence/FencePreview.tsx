import { useQuery } from '@tanstack/react-query'
import type { Map as LeafletMap } from 'leaflet'
import { useEffect, useMemo, useState } from 'react'
import { useBrandStore } from '@/app/brand'
import { FencesOnMap } from '@/map/layers'
import { MapView } from '@/map/MapView'
import { type Fence, fencesAround, isBan } from './fence'
import { boundsOfRing, ringOf } from './geometry'
import './fence.css'

const MARGIN_PX: [number, number] = [48, 48]

/** Where a fence lies, as it was drawn last, in its area. */
export default function FencePreview({ fence }: { fence: Pick<Fence, 'id' | 'name' | 'type' | 'opAreaId' | 'geometry' | 'capacity'> }) {
  const { id, name, type, opAreaId, geometry, capacity } = fence
  const around = useQuery(fencesAround)
  const tiles = useBrandStore((store) => store.config?.tiles ?? null)
  const [map, setMap] = useState<LeafletMap | null>(null)
  const ring = useMemo(() => ringOf(geometry), [geometry])
  const fences = useMemo(() => {
    const own = [{ id, areaId: opAreaId, name, capacity: capacity ?? 0, ring }]
    const areas = around.data?.areas.filter((area) => area.id === opAreaId) ?? []
    return { areas, parkings: isBan(type) ? [] : own, noStops: isBan(type) ? own : [] }
  }, [around.data, id, opAreaId, name, type, capacity, ring])
  useEffect(() => {
    if (map) map.fitBounds(boundsOfRing(ring), { padding: MARGIN_PX, animate: false, maxZoom: 18 })
  }, [map, ring])
  return (
    <div className="fence-preview">
      <MapView start={{ lat: ring[0]![1]!, lng: ring[0]![0]!, zoom: 16 }} daylight="day" tiles={tiles} label={`围栏「${name}」的边界`} onReady={setMap}>
        <FencesOnMap daylight="day" fences={fences} />
      </MapView>
    </div>
  )
}

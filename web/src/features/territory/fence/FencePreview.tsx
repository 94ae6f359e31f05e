import { useQuery } from '@tanstack/react-query'
import type { Map as LeafletMap } from 'leaflet'
import { useEffect, useMemo, useState } from 'react'
import { useBrandStore } from '@/app/brand'
import { FencesOnMap } from '@/map/layers'
import { MapView } from '@/map/MapView'
import { type StopDot, StopsOnMap } from '@/map/StopsOnMap'
import { type Fence, fencesAround, type Geometry } from './fence'
import { boundsOfRing, ringOf, ZOOM_MOST } from './geometry'
import './fence.css'

const MARGIN_PX: [number, number] = [48, 48]

interface FencePreviewProps {
  fence: Pick<Fence, 'id' | 'name' | 'opAreaId'>
  geometry: Geometry
  /** The edge that it is compared with. */
  against?: Geometry | undefined
  /** Where bikes stopped about it. */
  stops?: readonly StopDot[]
}

/** Where a fence lies, and, hatched, where another of its versions did. */
export default function FencePreview({ fence, geometry, against, stops }: FencePreviewProps) {
  const { id, name, opAreaId } = fence
  const around = useQuery(fencesAround)
  const tiles = useBrandStore((store) => store.config?.tiles ?? null)
  const [map, setMap] = useState<LeafletMap | null>(null)
  const ring = useMemo(() => ringOf(geometry), [geometry])
  const other = useMemo(() => against && ringOf(against), [against])
  const fences = useMemo(() => {
    const shape = (corners: number[][]) => [{ id, areaId: opAreaId, name: '', capacity: 0, ring: corners }]
    const areas = around.data?.areas.filter((area) => area.id === opAreaId) ?? []
    return { areas, parkings: shape(ring), noStops: other ? shape(other) : [] }
  }, [around.data, id, opAreaId, ring, other])
  const reach = useMemo(() => boundsOfRing([...ring, ...(other ?? [])]), [ring, other])
  useEffect(() => {
    map?.invalidateSize({ animate: false })
    map?.fitBounds(reach, { padding: MARGIN_PX, animate: false, maxZoom: ZOOM_MOST })
  }, [map, reach])
  return (
    <div className="fence-preview">
      <MapView start={{ lat: ring[0]![1]!, lng: ring[0]![0]!, zoom: 16 }} daylight="day" tiles={tiles} label={`围栏「${name}」的边界`} reach={reach} onReady={setMap}>
        <FencesOnMap daylight="day" fences={fences} />
        {stops && <StopsOnMap dots={stops} />}
      </MapView>
    </div>
  )
}

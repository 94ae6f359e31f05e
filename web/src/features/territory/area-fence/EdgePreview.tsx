import type { Map as LeafletMap } from 'leaflet'
import { useEffect, useState } from 'react'
import { useBrandStore } from '@/app/brand'
import { MapView } from '@/map/MapView'
import { firstLook } from '@/map/firstLook'
import { boundsOfRing } from '../fence/geometry'
import type { Ring } from './corners'
import { EdgeOnMap } from './EdgeOnMap'
import '../fence/fence.css'

const MARGIN_PX: [number, number] = [24, 24]

interface EdgePreviewProps {
  name: string
  ring: Ring
  /** The edge that it is compared with, dashed. */
  against?: Ring | undefined
}

/** Where an area lies, and, dashed, where it lay. */
export default function EdgePreview({ name, ring, against }: EdgePreviewProps) {
  const tiles = useBrandStore((store) => store.config?.tiles ?? null)
  const [map, setMap] = useState<LeafletMap | null>(null)
  useEffect(() => {
    const look = () => map?.fitBounds(boundsOfRing([...ring, ...(against ?? [])]), { padding: MARGIN_PX, animate: false })
    return map ? firstLook(map, look) : undefined
  }, [map, ring, against])
  return (
    <div className="fence-preview">
      <MapView
        start={{ lat: ring[0]![1]!, lng: ring[0]![0]!, zoom: 12 }}
        daylight="day"
        tiles={tiles}
        label={`服务区「${name}」的边界`}
        reach={boundsOfRing(ring)}
        onReady={setMap}
      />
      {map && against && <EdgeOnMap map={map} ring={against} look="before" />}
      {map && <EdgeOnMap map={map} ring={ring} look="drawn" />}
    </div>
  )
}

import type { Map as LeafletMap } from 'leaflet'
import { useEffect, useMemo, useState } from 'react'
import { useBrandStore } from '@/app/brand'
import { boundsOf, type FenceMap } from '@/map/fences/fences'
import { FencesOnMap } from '@/map/layers'
import { firstLook } from '@/map/firstLook'
import { MapView } from '@/map/MapView'
import type { AreaInfo } from './area'
import './area.css'

const MARGIN_PX: [number, number] = [8, 8]

/** Where an area lies: its edge on a small map. */
export default function AreaPreview({ area }: { area: Pick<AreaInfo, 'id' | 'name' | 'agentId' | 'state' | 'ring'> }) {
  const { id, name, agentId, state, ring } = area
  const tiles = useBrandStore((store) => store.config?.tiles ?? null)
  const [map, setMap] = useState<LeafletMap | null>(null)
  const fences = useMemo<FenceMap>(
    () => ({ areas: [{ id, name, agentId, state, ring }], parkings: [], noStops: [] }),
    [id, name, agentId, state, ring],
  )
  const bounds = useMemo(() => boundsOf(fences), [fences])
  useEffect(() => {
    if (!map || !bounds) return undefined
    return firstLook(map, () => map.fitBounds(bounds, { padding: MARGIN_PX, animate: false }))
  }, [map, bounds])
  if (!bounds) return null
  const [[south, west], [north, east]] = bounds
  return (
    <div className="area-preview">
      <MapView
        start={{ lat: (south + north) / 2, lng: (west + east) / 2, zoom: 12 }}
        daylight="day"
        tiles={tiles}
        label={`服务区「${name}」的边界`}
        onReady={setMap}
      >
        <FencesOnMap daylight="day" fences={fences} />
      </MapView>
    </div>
  )
}

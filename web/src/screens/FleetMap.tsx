/** The live bikes on a wall: nobody clicks here. */
import type { Map as LeafletMap } from 'leaflet'
import { useContext, useEffect, useMemo, useState } from 'react'

import { useBrandStore } from '@/app/brand'
import { isStale } from '@/live/connection'
import { useConnection } from '@/live/hooks'
import { boundsOf, type FenceMap } from '@/map/fences/fences'
import { FencesOnMap, FleetOnMap } from '@/map/layers'
import { MapView } from '@/map/MapView'

import { ScaleContext } from './contexts'
import { useScreenAreas } from './useScreen'

const start = { lat: 30, lng: 110, zoom: 5 }
const nobody = () => undefined
const PADDING: [number, number] = [16, 16]

/** The edges of the chosen areas, as maps draw them. */
export function useChosenFences(chosen: readonly string[]): FenceMap {
  const known = useScreenAreas()
  return useMemo(() => {
    const areas = chosen.length === 0 ? known : known.filter(({ id }) => chosen.includes(id))
    return { areas, parkings: [], noStops: [] }
  }, [known, chosen])
}

/**
 * Looks at all of the areas, whenever others are chosen; where the stage gets another size its layers are drawn
 * anew. `snap`: between which zooms it chooses. Of bikes the server tells at whole ones.
 */
export function useWallView(map: LeafletMap | null, fences: FenceMap, snap = 1): void {
  const scale = useContext(ScaleContext)
  useEffect(() => {
    if (scale > 0) map?.fire('resize')
  }, [map, scale])
  useEffect(() => {
    const bounds = boundsOf(fences)
    if (map === null || bounds === null) return
    map.options.zoomSnap = snap
    map.fitBounds(bounds, { padding: PADDING, animate: false })
  }, [map, fences, snap])
}

export function FleetMap({ areas }: { areas: readonly string[] }) {
  const [map, setMap] = useState<LeafletMap | null>(null)
  const tiles = useBrandStore((store) => store.config?.tiles ?? null)
  const stale = isStale(useConnection())
  const fences = useChosenFences(areas)
  useWallView(map, fences)
  return (
    <div className="screen-map">
      <div className="screen-enlarged">
        <MapView start={start} daylight="night" tiles={tiles} label="车辆实时地图" onReady={setMap}>
          <FencesOnMap daylight="night" fences={fences} />
          <FleetOnMap daylight="night" mask={0} stale={stale} onHit={nobody} onSeveral={nobody} all={null} viewer="wall" />
        </MapView>
      </div>
    </div>
  )
}

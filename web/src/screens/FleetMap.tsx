/** The live bikes on a wall: nobody clicks here. */
import L, { type Map as LeafletMap } from 'leaflet'
import { useContext, useEffect, useMemo, useState } from 'react'

import { useBrandStore } from '@/app/brand'
import { isStale } from '@/live/connection'
import { useConnection } from '@/live/hooks'
import { boundsOf, type FenceMap } from '@/map/fences/fences'
import { FencesOnMap, FleetOnMap } from '@/map/layers'
import { MapView } from '@/map/MapView'
import { CLUSTER_ZOOM } from '@/map/vehicles/VehicleLayer'

import { ScaleContext } from './contexts'
import { useScreenAreas } from './useScreen'

const start = { lat: 30, lng: 110, zoom: 5 }
const nobody = () => undefined
const PADDING_PX = 12

/** The edges of the chosen areas, as maps draw them. */
export function useChosenFences(chosen: readonly string[]): FenceMap {
  const known = useScreenAreas()
  return useMemo(() => {
    const areas = chosen.length === 0 ? known : known.filter(({ id }) => chosen.includes(id))
    return { areas, parkings: [], noStops: [] }
  }, [known, chosen])
}

/** Between which zooms a wall's map chooses: whole ones would leave half of it empty. */
const SNAP = 0.25

/** The zoom at which all of `bounds` are seen. Where the server tells of bikes by counts, they are for whole zooms alone. */
function zoomOn(map: LeafletMap, bounds: L.LatLngBoundsLiteral, ofBikes: boolean): number {
  const zoom = map.getBoundsZoom(bounds, false, L.point(PADDING_PX * 2, PADDING_PX * 2))
  return ofBikes && zoom > CLUSTER_ZOOM && zoom < CLUSTER_ZOOM + 1 ? CLUSTER_ZOOM : zoom
}

function lookAtAll(map: LeafletMap, bounds: L.LatLngBoundsLiteral, ofBikes: boolean): void {
  map.options.zoomSnap = SNAP
  map.setView(L.latLngBounds(bounds).getCenter(), zoomOn(map, bounds, ofBikes), { animate: false })
}

/**
 * Looks at all of the areas, whenever others are chosen and whenever the map gets another size: tiles beside it come when they have
 * something to tell. Where the stage gets another size its layers are drawn anew.
 */
export function useWallView(map: LeafletMap | null, fences: FenceMap, ofBikes: boolean): void {
  const scale = useContext(ScaleContext)
  useEffect(() => {
    if (scale > 0) map?.fire('resize')
  }, [map, scale])
  useEffect(() => {
    const bounds = boundsOf(fences)
    if (map === null || bounds === null) return
    const look = () => lookAtAll(map, bounds, ofBikes)
    look()
    map.on('resize', look)
    return () => {
      map.off('resize', look)
    }
  }, [map, fences, ofBikes])
}

export function FleetMap({ areas }: { areas: readonly string[] }) {
  const [map, setMap] = useState<LeafletMap | null>(null)
  const tiles = useBrandStore((store) => store.config?.tiles ?? null)
  const stale = isStale(useConnection())
  const fences = useChosenFences(areas)
  useWallView(map, fences, true)
  // Bikes of the chosen areas alone; the same areas are the same pick.
  const sign = areas.join(',')
  const pick = useMemo(() => (sign === '' ? null : { areas: sign.split(',') }), [sign])
  return (
    <div className="screen-map">
      <div className="screen-enlarged">
        <MapView start={start} daylight="night" tiles={tiles} label="车辆实时地图" onReady={setMap}>
          <FencesOnMap daylight="night" fences={fences} />
          <FleetOnMap daylight="night" mask={0} stale={stale} onHit={nobody} onSeveral={nobody} all={null} pick={pick} viewer="wall" />
        </MapView>
      </div>
    </div>
  )
}

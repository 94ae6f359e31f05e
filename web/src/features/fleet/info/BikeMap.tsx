import L, { type Map as LeafletMap } from 'leaflet'
import { useEffect, useMemo, useState } from 'react'
import { useBrandStore } from '@/app/brand'
import type { Corners } from '@/map/bounds'
import { firstLook } from '@/map/firstLook'
import { TrackOnMap } from '@/map/layers'
import { MapView } from '@/map/MapView'
import { type NamedPlace, PlacesOnMap } from '@/map/PlacesOnMap'
import type { HistoryPoint, Vehicle } from '../operation-map/vehicle'

/** So much about the bike can be looked at, some kilometres. */
const AROUND_DEGREES = 0.03
const MARGIN_PX: [number, number] = [32, 32]

/** Corners of these places; null without any. */
export function boxOf(places: readonly { lat: number; lng: number }[]): Corners | null {
  if (places.length === 0) return null
  const [lats, lngs] = [places.map(({ lat }) => lat), places.map(({ lng }) => lng)]
  return [
    [Math.min(...lats), Math.min(...lngs)],
    [Math.max(...lats), Math.max(...lngs)],
  ]
}

/** Where one bike is, and the way it came. */
export default function BikeMap({ vehicle: { carId, lat, lng }, points }: { vehicle: Vehicle; points: readonly HistoryPoint[] }) {
  const tiles = useBrandStore((store) => store.config?.tiles ?? null)
  const [map, setMap] = useState<LeafletMap | null>(null)
  const places = useMemo<NamedPlace[]>(() => (lat === null || lng === null ? [] : [{ lat, lng, name: carId, main: true }]), [carId, lat, lng])
  const track = useMemo(() => boxOf(points), [points])
  const box = track ?? boxOf(places)
  // The track moves the view; a bike that rides on does not.
  useEffect(() => {
    if (!map || !track) return undefined
    return firstLook(map, () => map.fitBounds(L.latLngBounds(track[0] as [number, number], track[1] as [number, number]), { padding: MARGIN_PX, maxZoom: 17, animate: false }))
  }, [map, track])
  if (!box) return <p className="weak">还没有收到过位置。</p>
  const reach: Corners = [
    [box[0][0] - AROUND_DEGREES, box[0][1] - AROUND_DEGREES],
    [box[1][0] + AROUND_DEGREES, box[1][1] + AROUND_DEGREES],
  ]
  return (
    <div className="vehicle-info-map">
      <MapView start={{ lat: box[0][0], lng: box[0][1], zoom: 16 }} daylight="day" tiles={tiles} label={`车辆 ${carId} 的位置与轨迹`} reach={reach} onReady={setMap}>
        <TrackOnMap daylight="day" points={points} />
        <PlacesOnMap daylight="day" places={places} />
      </MapView>
    </div>
  )
}

import { useMemo } from 'react'
import { useBrandStore } from '@/app/brand'
import type { Corners } from '@/map/bounds'
import { MapView } from '@/map/MapView'
import { type NamedPlace, PlacesOnMap } from '@/map/PlacesOnMap'

const ZOOM = 17
/** So much about the place can be looked at, some kilometres. */
const AROUND_DEGREES = 0.02

/** Where somebody did not get a bike. */
export default function MissMap({ lat, lng, name }: { lat: number; lng: number; name: string }) {
  const tiles = useBrandStore((store) => store.config?.tiles ?? null)
  const places = useMemo<NamedPlace[]>(() => [{ lat, lng, name, main: true }], [lat, lng, name])
  const reach = useMemo<Corners>(
    () => [
      [lat - AROUND_DEGREES, lng - AROUND_DEGREES],
      [lat + AROUND_DEGREES, lng + AROUND_DEGREES],
    ],
    [lat, lng],
  )
  return (
    <div className="miss-map">
      <MapView start={{ lat, lng, zoom: ZOOM }} daylight="day" tiles={tiles} label={`「${name}」丢单的位置`} reach={reach}>
        <PlacesOnMap daylight="day" places={places} />
      </MapView>
    </div>
  )
}

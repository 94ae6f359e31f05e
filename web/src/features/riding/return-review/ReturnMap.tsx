import { useMemo } from 'react'
import { useBrandStore } from '@/app/brand'
import type { Corners } from '@/map/bounds'
import { FencesOnMap } from '@/map/layers'
import { MapView } from '@/map/MapView'
import { type NamedPlace, PlacesOnMap } from '@/map/PlacesOnMap'
import { SeenOnMap } from '@/map/SeenOnMap'
import type { ReturnCase } from './returnReview'
import './return-review.css'

const ZOOM = 18
/** So much about the places can be looked at, a kilometre. */
const AROUND_DEGREES = 0.01
const [PARKING, NO_STOP, NO_RIDE] = [2, 4, 9]

/** Where the bike was left, among the fences as they were then: its fixes, how far they may be off, and where its rider was. */
export default function ReturnMap({ it }: { it: ReturnCase }) {
  const { id, carId, opAreaId, seen, fences, lat, lng } = it
  const tiles = useBrandStore((store) => store.config?.tiles ?? null)
  const { place, riderPlace, fixes, errorM } = seen
  const places = useMemo<NamedPlace[]>(
    () => [
      ...(riderPlace ? [{ ...riderPlace, name: '还车时手机位置' }] : []),
      ...(typeof lat === 'number' && typeof lng === 'number' ? [{ lat, lng, name: '申请时手机位置' }] : []),
      ...(place ? [{ ...place, name: carId, main: true }] : []),
    ],
    [carId, lat, lng, place, riderPlace],
  )
  const drawn = useMemo(() => {
    const of = (kind: number) => fences.filter((fence) => fence.kind === kind).map(({ fenceId, name, ring }) => ({ id: fenceId, areaId: opAreaId, capacity: 0, name, ring }))
    return { areas: [], parkings: of(PARKING), noStops: of(NO_STOP), noRides: of(NO_RIDE) }
  }, [fences, opAreaId])
  const circle = useMemo(() => (place ? { ...place, error_m: errorM } : null), [place, errorM])
  const first = places.at(-1)
  const reach = useMemo<Corners | null>(() => {
    if (places.length === 0) return null
    const [lats, lngs] = [places.map((at) => at.lat), places.map((at) => at.lng)]
    return [
      [Math.min(...lats) - AROUND_DEGREES, Math.min(...lngs) - AROUND_DEGREES],
      [Math.max(...lats) + AROUND_DEGREES, Math.max(...lngs) + AROUND_DEGREES],
    ]
  }, [places])
  if (!first) return <p className="weak">没有还车位置</p>
  return (
    <div className="return-map">
      <MapView key={id} start={{ lat: first.lat, lng: first.lng, zoom: ZOOM }} daylight="day" tiles={tiles} label={`「${carId}」的还车位置和当时的围栏`} reach={reach}>
        <FencesOnMap daylight="day" fences={drawn} />
        <SeenOnMap daylight="day" circle={circle} fixes={fixes} />
        <PlacesOnMap daylight="day" places={places} />
      </MapView>
    </div>
  )
}

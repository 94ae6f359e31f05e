import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useBrandStore } from '@/app/brand'
import type { Corners } from '@/map/bounds'
import { FencesOnMap } from '@/map/layers'
import { MapView } from '@/map/MapView'
import { type NamedPlace, PlacesOnMap } from '@/map/PlacesOnMap'
import { fencesAround } from '../fence/fence'
import type { ParkApplication } from './parkApplication'
import './park-application.css'

const ZOOM = 17
/** So much about the places can be looked at, some kilometres. */
const AROUND_DEGREES = 0.05
const NONE = { areas: [], parkings: [], noStops: [] }

/** Where a station is asked for, among the fences that count now, and where its photos say that they were taken. */
export default function ApplicationMap({ application }: { application: ParkApplication }) {
  const { id, lat, lng, location, photos } = application
  const around = useQuery(fencesAround)
  const tiles = useBrandStore((store) => store.config?.tiles ?? null)
  const places = useMemo<NamedPlace[]>(() => {
    const taken = photos.flatMap((photo, index) =>
      typeof photo.lat === 'number' && typeof photo.lng === 'number' ? [{ lat: photo.lat, lng: photo.lng, name: `现场照片 ${index + 1} 的拍摄位置` }] : [],
    )
    return [...taken, { lat, lng, name: '申请位置', main: true }]
  }, [lat, lng, photos])
  const reach = useMemo<Corners>(() => {
    const [lats, lngs] = [places.map((place) => place.lat), places.map((place) => place.lng)]
    return [
      [Math.min(...lats) - AROUND_DEGREES, Math.min(...lngs) - AROUND_DEGREES],
      [Math.max(...lats) + AROUND_DEGREES, Math.max(...lngs) + AROUND_DEGREES],
    ]
  }, [places])
  return (
    <div className="application-map">
      <MapView key={id} start={{ lat, lng, zoom: ZOOM }} daylight="day" tiles={tiles} label={`「${location}」的申请位置和附近的围栏`} reach={reach}>
        <FencesOnMap daylight="day" fences={around.data ?? NONE} />
        <PlacesOnMap daylight="day" places={places} />
      </MapView>
    </div>
  )
}

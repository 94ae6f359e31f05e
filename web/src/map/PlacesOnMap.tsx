import L from 'leaflet'
import { useEffect } from 'react'
import { useMap } from 'react-leaflet'
import { mapPalettes, type Daylight } from './palette'

export interface NamedPlace {
  /** Degrees, WGS-84. */
  readonly lat: number
  readonly lng: number
  readonly name: string
  /** The one that it is about; the others are smaller. */
  readonly main?: boolean
}

const MAIN_PX = 8
const OTHER_PX = 5

/** Places with their names. */
export function PlacesOnMap({ daylight, places }: { daylight: Daylight; places: readonly NamedPlace[] }) {
  const map = useMap()
  useEffect(() => {
    const { accent, panelText, signEdge } = mapPalettes[daylight]
    const marks = places.map(({ lat, lng, name, main = false }) => {
      const style = { radius: main ? MAIN_PX : OTHER_PX, color: signEdge, weight: 2, fillColor: main ? accent : panelText, fillOpacity: 1 }
      return L.circleMarker([lat, lng], style).bindTooltip(name, { permanent: main, direction: 'top', offset: [0, -MAIN_PX] })
    })
    const layer = L.layerGroup(marks).addTo(map)
    return () => {
      layer.remove()
    }
  }, [map, daylight, places])
  return null
}

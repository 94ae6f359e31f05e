import L from 'leaflet'
import { useEffect } from 'react'
import { useMap } from 'react-leaflet'
import { alarmStyle } from '@/kit/theme'
import { mapPalettes, type Daylight } from './palette'

export interface SeenPlace {
  /** Degrees, WGS-84. */
  readonly lat: number
  readonly lng: number
}

interface SeenOnMapProps {
  daylight: Daylight
  /** Where something was taken to be, and how far that may be off, metres. */
  circle: (SeenPlace & { readonly error_m: number }) | null
  /** The fixes that it was made of. */
  fixes: readonly SeenPlace[]
}

const FIX_PX = 2.5

/** Where something was taken to be: its fixes, and the circle that it may have been in. */
export function SeenOnMap({ daylight, circle, fixes }: SeenOnMapProps) {
  const map = useMap()
  useEffect(() => {
    const { panelText } = mapPalettes[daylight]
    const color = alarmStyle.color
    const around = circle ? [L.circle([circle.lat, circle.lng], { radius: circle.error_m, color, weight: 1.5, dashArray: '4 4', fillColor: color, fillOpacity: 0.08 })] : []
    const dots = fixes.map(({ lat, lng }) => L.circleMarker([lat, lng], { radius: FIX_PX, stroke: false, fillColor: panelText, fillOpacity: 0.55 }))
    const layer = L.layerGroup([...around, ...dots]).addTo(map)
    return () => {
      layer.remove()
    }
  }, [map, daylight, circle, fixes])
  return null
}

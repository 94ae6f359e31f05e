import L, { type Map as LeafletMap } from 'leaflet'
import { useEffect, useEffectEvent } from 'react'
import { TerraDraw, TerraDrawPolygonMode } from 'terra-draw'
import { TerraDrawLeafletAdapter } from 'terra-draw-leaflet-adapter'
import { focusStill, holdOff } from '../fence/holdOff'
import type { Place, Ring } from './corners'

interface PenProps {
  map: LeafletMap
  /** Where a place is drawn to; nothing when it stays. */
  snap(place: Place): Place | undefined
  onDrawn(ring: Ring): void
}

/** Draws an edge corner by corner; it is told when it is finished. While Alt is held nothing is snapped to. */
export function Pen({ map, snap, onDrawn }: PenProps) {
  const drawn = useEffectEvent(onDrawn)
  const aim = useEffectEvent(snap)
  useEffect(() => focusStill(map), [map])
  useEffect(() => {
    const free = holdOff(map)
    const toCustom = ({ lng, lat }: { lng: number; lat: number }) => {
      const found = free.held ? undefined : aim([lng, lat])
      return found && [...found]
    }
    const draw = new TerraDraw({
      adapter: new TerraDrawLeafletAdapter({ lib: L, map, coordinatePrecision: 9 }),
      modes: [new TerraDrawPolygonMode({ pointerDistance: 16, snapping: { toCustom } })],
    })
    draw.start()
    draw.setMode('polygon')
    draw.on('finish', (id) => {
      const feature = draw.getSnapshotFeature(id)
      if (feature?.geometry.type === 'Polygon') drawn(feature.geometry.coordinates[0] ?? [])
    })
    return () => {
      free.end()
      draw.stop()
    }
  }, [map])
  return null
}

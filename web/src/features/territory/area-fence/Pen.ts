import L, { type Map as LeafletMap } from 'leaflet'
import { useEffect, useEffectEvent } from 'react'
import { TerraDraw, TerraDrawPolygonMode } from 'terra-draw'
import { TerraDrawLeafletAdapter } from 'terra-draw-leaflet-adapter'
import type { Ring } from './corners'

/** Draws an edge corner by corner; it is told when it is finished. */
export function Pen({ map, onDrawn }: { map: LeafletMap; onDrawn(ring: Ring): void }) {
  const drawn = useEffectEvent(onDrawn)
  useEffect(() => {
    const draw = new TerraDraw({
      adapter: new TerraDrawLeafletAdapter({ lib: L, map, coordinatePrecision: 9 }),
      modes: [new TerraDrawPolygonMode({ pointerDistance: 16 })],
    })
    draw.start()
    draw.setMode('polygon')
    draw.on('finish', (id) => {
      const feature = draw.getSnapshotFeature(id)
      if (feature?.geometry.type === 'Polygon') drawn(feature.geometry.coordinates[0] ?? [])
    })
    return () => draw.stop()
  }, [map])
  return null
}

/** The drawing tool of the editor: what it can draw, drag and cut on a map. */
import L, { type Map as LeafletMap } from 'leaflet'
import {
  type GeoJSONStoreFeatures,
  TerraDraw,
  TerraDrawCircleMode,
  TerraDrawLineStringMode,
  TerraDrawPolygonMode,
  TerraDrawSelectMode,
  type TerraDrawMouseEvent,
} from 'terra-draw'
import { TerraDrawLeafletAdapter } from 'terra-draw-leaflet-adapter'
import { mapPalettes } from '@/map/palette'
import type { Geometry } from './fence'
import { DIGITS, ringOf } from './geometry'

/** What is done with the pointer: `merge` points at fences and draws nothing. */
export type Mode = 'select' | 'polygon' | 'circle' | 'split' | 'merge' | 'measure'
/** Where a place is drawn to; nothing when it stays. */
export type Snap = (place: { lng: number; lat: number }) => [number, number] | undefined

const POINTER_PX = 16

/** Nothing is drawn on it yet; it begins with `start`. */
export function newPen(map: LeafletMap, snap: Snap): TerraDraw {
  const snapping = { toCustom: (event: TerraDrawMouseEvent) => snap(event) }
  const corners = { midpoints: { draggable: true }, draggable: true, deletable: true, snappable: snapping }
  const ink = mapPalettes.day.noRide as `#${string}`
  const line = (modeName: Mode) =>
    new TerraDrawLineStringMode({ modeName, pointerDistance: POINTER_PX, snapping, styles: { lineStringColor: ink, lineStringWidth: 3, closingPointColor: ink } })
  return new TerraDraw({
    adapter: new TerraDrawLeafletAdapter({ lib: L, map, coordinatePrecision: DIGITS }),
    modes: [
      new TerraDrawPolygonMode({ pointerDistance: POINTER_PX, snapping }),
      new TerraDrawCircleMode(),
      line('split'),
      line('measure'),
      new TerraDrawSelectMode({
        // What is deleted there would stay in the form.
        keyEvents: { deselect: 'Escape', delete: null, rotate: null, scale: null },
        flags: {
          polygon: { feature: { draggable: true, coordinates: corners } },
          circle: { feature: { draggable: true, coordinates: { draggable: true, resizable: 'center' } } },
        },
      }),
    ],
  })
}

/** What the tool has of an edge. */
export function featureOf(geometry: Geometry): GeoJSONStoreFeatures {
  const properties: GeoJSONStoreFeatures['properties'] =
    geometry.type === 'Point' ? { mode: 'circle', radiusKilometers: geometry.radiusM / 1000 } : { mode: 'polygon' }
  return { type: 'Feature', geometry: { type: 'Polygon', coordinates: [ringOf(geometry)] }, properties }
}

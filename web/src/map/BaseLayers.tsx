import { useQuery } from '@tanstack/react-query'
import type GeoJSONVT from 'geojson-vt'
import L from 'leaflet'
import { useEffect } from 'react'
import { useMap } from 'react-leaflet'
import type { DataOf } from '@/api/shapes'

import { loadBaseMap, type GroundFeature } from './base/baseMap'
import { extentOf, goneOn, type Extent } from './base/beyond'
import { GridLayer, GroundLayer, indexGround } from './base/GroundLayer'
import { LabelLayer } from './base/LabelLayer'
import { namesOf, type Named } from './base/labels'
import type { Daylight } from './palette'

/** Which base map the web configuration asks for. */
export type TilesConfig = Readonly<DataOf<'/web/config'>['tiles']>

/** What became of the base map. */
export type BaseState = 'loading' | 'shown' | 'missing' | 'failed' | 'none'

/** Indexing takes tenths of a second: once for each base map, whatever is drawn from it. */
const prepared = new WeakMap<readonly GroundFeature[], { readonly index: GeoJSONVT; readonly names: readonly Named[] }>()

function prepare(features: readonly GroundFeature[]) {
  let ground = prepared.get(features)
  if (ground === undefined) {
    ground = { index: indexGround(goneOn(features)), names: namesOf(features) }
    prepared.set(features, ground)
  }
  return ground
}

/** Our own vector city, the tiles of an operator's raster server, or a plain grid. */
export function BaseLayers({
  daylight,
  tiles,
  onState,
  onExtent,
}: {
  daylight: Daylight
  tiles: TilesConfig | null
  onState?: ((state: BaseState) => void) | undefined
  /** How far the vector base map reaches; null for one without an end. */
  onExtent: (extent: Extent | null) => void
}) {
  const kind = tiles?.kind ?? 'vector'
  const url = tiles?.url ?? ''
  const map = useMap()
  const base = useQuery({
    queryKey: ['map', 'base'],
    queryFn: loadBaseMap,
    enabled: kind === 'vector',
    staleTime: Number.POSITIVE_INFINITY,
    retry: 3,
  })
  const features = base.data
  const state = stateOf(kind, url, base.isError, features)

  useEffect(() => onState?.(state), [onState, state])
  useEffect(() => onExtent(kind === 'vector' && features !== undefined ? extentOf(features) : null), [onExtent, kind, features])

  useEffect(() => {
    const layers: L.Layer[] = []
    if (kind === 'raster' && url !== '') {
      layers.push(L.tileLayer(url, { maxZoom: 19, className: daylight === 'night' ? 'raster-night' : '' }))
    } else if (kind === 'vector' && features !== undefined && features.length > 0) {
      const ground = prepare(features)
      layers.push(new GroundLayer(ground.index, daylight), new LabelLayer(ground.names, daylight))
    } else {
      layers.push(new GridLayer(daylight))
    }
    for (const layer of layers) layer.addTo(map)
    return () => {
      for (const layer of layers) layer.remove()
    }
  }, [map, kind, url, features, daylight])
  return null
}

function stateOf(kind: TilesConfig['kind'], url: string, failed: boolean, features: readonly GroundFeature[] | undefined): BaseState {
  if (kind === 'none') return 'none'
  if (kind === 'raster') return url === '' ? 'missing' : 'shown'
  if (features === undefined) return failed ? 'failed' : 'loading'
  return features.length === 0 ? 'missing' : 'shown'
}

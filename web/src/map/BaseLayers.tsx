import { useQuery } from '@tanstack/react-query'
import type GeoJSONVT from 'geojson-vt'
import type L from 'leaflet'
import { lazy, Suspense, useContext, useEffect, useMemo } from 'react'
import { useMap } from 'react-leaflet'

import { loadBaseMap, type GroundFeature } from './base/baseMap'
import { extentOf, goneOn, type Extent } from './base/beyond'
import { type BaseChoice, choicesOf, drawingDatum, firstOf, OFFLINE, type TilesConfig } from './base/choices'
import { MapWishes, nowDrawnOn, useBaseStore, useChosenId } from './base/chosen'
import { GridLayer, GroundLayer, indexGround } from './base/GroundLayer'
import { LabelLayer } from './base/LabelLayer'
import { namesOf, type Named } from './base/labels'
import type { Daylight } from './palette'

export type { TilesConfig }

// Neither is needed for the first picture of the city.
const BaseSwitch = lazy(() => import('./base/BaseSwitch'))
const rasterLayer = () => import('./base/rasterLayer')

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

interface BaseLayersProps {
  daylight: Daylight
  tiles: TilesConfig | null
  onState?: ((state: BaseState) => void) | undefined
  /** How far the vector base map reaches; null for one without an end. */
  onExtent: (extent: Extent | null) => void
}

/** What lies beneath: our own vector city, somebody's tiles or a plain grid, as was chosen; the city where tiles do not load. */
export function BaseLayers({ daylight, tiles, onState, onExtent }: BaseLayersProps) {
  const map = useMap()
  const wish = useContext(MapWishes)
  const { choose, fall, rise, fallen } = useBaseStore()
  const remembered = useChosenId(wish.memory)
  const choices = useMemo(() => choicesOf(tiles), [tiles])
  const chosen = firstOf(choices, [remembered, wish.first, tiles?.first])
  const isFallen = fallen.includes(chosen.id)
  const shown = isFallen ? OFFLINE : chosen
  useEffect(() => {
    nowDrawnOn(map, drawingDatum(shown))
  }, [map, shown])

  const vector = shown.kind === 'vector'
  const base = useQuery({
    queryKey: ['map', 'base'],
    queryFn: loadBaseMap,
    enabled: vector,
    staleTime: Number.POSITIVE_INFINITY,
    retry: 3,
  })
  const features = base.data
  const state = stateOf(shown.kind, base.isError, features)

  useEffect(() => onState?.(state), [onState, state])
  useEffect(() => onExtent(vector && features !== undefined ? extentOf(features) : null), [onExtent, vector, features])

  useEffect(() => {
    const { raster, id } = shown
    if (raster !== null) {
      let take: (() => void) | null = null
      let gone = false
      const lay = ({ layRaster }: Awaited<ReturnType<typeof rasterLayer>>) => {
        if (!gone) take = layRaster(map, raster, daylight, () => fall(id))
      }
      rasterLayer().then(lay, () => fall(id))
      return () => {
        gone = true
        take?.()
      }
    }
    const layers: L.Layer[] = []
    if (vector && features !== undefined && features.length > 0) {
      const ground = prepare(features)
      layers.push(new GroundLayer(ground.index, daylight), new LabelLayer(ground.names, daylight))
    } else {
      layers.push(new GridLayer(daylight))
    }
    for (const layer of layers) layer.addTo(map)
    return () => {
      for (const layer of layers) layer.remove()
    }
  }, [map, shown, vector, features, daylight, fall])
  return (
    <Suspense fallback={null}>
      <BaseSwitch
        choices={choices}
        chosen={chosen}
        fallen={isFallen}
        unknown={wish.first !== null && !choices.some(({ id }) => id === wish.first)}
        onChoose={(id) => choose(wish.memory, id)}
        onRetry={() => rise(chosen.id)}
      />
    </Suspense>
  )
}

function stateOf(kind: BaseChoice['kind'], failed: boolean, features: readonly GroundFeature[] | undefined): BaseState {
  if (kind === 'none') return 'none'
  if (kind === 'raster') return 'shown'
  if (features === undefined) return failed ? 'failed' : 'loading'
  return features.length === 0 ? 'missing' : 'shown'
}

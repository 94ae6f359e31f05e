/** Views (视图): what the map shows as query text, and back. Pure but for what asks the server. */
import { queryOptions } from '@tanstack/react-query'

import { api } from '@/api/client'
import type { DataOf } from '@/api/shapes'
import type { MapStart } from '@/map/MapView'
import type { Mask } from '@/map/vehicles/fleetMath'

import { writeFilter } from '../mapFilter'
import { PICK_NAMES, type PickText } from '../pick/pick'
import { readView } from '../useMapAddress'
import type { MapLayers } from '../useMapLayers'

export const VIEWS_PATH = '/vehicle/map-view'
export const NAME_MAX = 20
/** One page of the menu; who has more finds them by name. */
export const SHOWN_MOST = 200
/** From so many on there is a field to find them by name. */
export const FOUND_FROM = 8

export type StoredView = DataOf<typeof VIEWS_PATH>['rows'][number]

/** What a change of a view makes stale. */
export const stale = [[VIEWS_PATH]] as const

/** One's own views and those that are shared, of which the name or the maker's holds `keyword`. */
export const viewsLike = (keyword: string) =>
  queryOptions({
    queryKey: [VIEWS_PATH, keyword],
    queryFn: ({ signal }) => api.get(VIEWS_PATH, { keyword: keyword || null, pageSize: SHOWN_MOST }, { signal, quiet: true }),
    // Colleagues change theirs; nobody is told of it.
    staleTime: 0,
    refetchInterval: 15_000,
    // Nor is the menu opened with what it held before it closed: whoever acts at once on a view of an older version is refused.
    gcTime: 0,
  })

/** What the map shows now. */
export interface Shown {
  readonly mask: Mask
  readonly picked: PickText
  readonly layers: MapLayers
  readonly place: MapStart
}

/** What is stored of it: the address's own names, the layers and the place. */
export function stateOf({ mask, picked, layers, place }: Shown): string {
  const filter = writeFilter(mask)
  const laid = (['heat', 'stations'] as const).filter((layer) => layers[layer])
  const state = new URLSearchParams([
    ...(filter === null ? [] : [['f', filter]]),
    ...PICK_NAMES.flatMap((name) => (picked[name] ? [[name, picked[name]]] : [])),
    ...(laid.length === 0 ? [] : [['layers', laid.join(',')]]),
    ['view', `${place.lat.toFixed(5)},${place.lng.toFixed(5)},${place.zoom}`],
  ])
  return state.toString().replaceAll('%2C', ',')
}

/** What a view asks of the map: all that it does not say is taken away. */
export interface Wanted {
  readonly address: Readonly<Record<string, string | null>>
  readonly layers: MapLayers
  readonly place: MapStart | null
}

/** What is stored, read; a bike that is chosen and a moment of the past give way to it. */
export function wantedOf(state: string): Wanted {
  const search = new URLSearchParams(state)
  const laid = (search.get('layers') ?? '').split(',')
  return {
    address: { carId: null, at: null, ...Object.fromEntries(['f', ...PICK_NAMES].map((name) => [name, search.get(name)])) },
    layers: { heat: laid.includes('heat'), stations: laid.includes('stations') },
    place: readView(search.get('view')),
  }
}

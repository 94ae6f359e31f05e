/** Which base layer a person chose, and which do not load: the same for all maps of the browser. */
import type { Map as LeafletMap } from 'leaflet'
import { createContext } from 'react'
import { create } from 'zustand'
import type { Datum } from '../datum'

/** What a page wants of its maps. */
export interface MapWish {
  /** Where this browser remembers what was chosen. */
  readonly memory: string
  /** The layer that the page is for; null: as the configuration says. */
  readonly first: string | null
  /** What coordinates are shown in first, and drawings made in; null: as the layer is. */
  readonly datum: Datum | null
}

export const MapWishes = createContext<MapWish>({ memory: 'map-base', first: null, datum: null })

interface BaseStore {
  /** The chosen layer of each memory that was asked for. */
  readonly chosen: Readonly<Record<string, string>>
  /** Layers whose tiles do not load. */
  readonly fallen: readonly string[]
  choose(memory: string, id: string): void
  fall(id: string): void
  /** Tries a layer again. */
  rise(id: string): void
}

export const useBaseStore = create<BaseStore>((set) => ({
  chosen: {},
  fallen: [],
  choose: (memory, id) => {
    localStorage.setItem(memory, id)
    set(({ chosen, fallen }) => ({ chosen: { ...chosen, [memory]: id }, fallen: fallen.filter((other) => other !== id) }))
  },
  fall: (id) => set(({ fallen }) => (fallen.includes(id) ? {} : { fallen: [...fallen, id] })),
  rise: (id) => set(({ fallen }) => ({ fallen: fallen.filter((other) => other !== id) })),
}))

/** What was chosen last in this browser; null when nothing ever was. */
export function useChosenId(memory: string): string | null {
  const chosen = useBaseStore((store) => store.chosen[memory])
  return chosen ?? localStorage.getItem(memory)
}

const drawnOn = new WeakMap<LeafletMap, Datum>()

/** Tells what lies beneath `map` now. */
export const nowDrawnOn = (map: LeafletMap, datum: Datum) => drawnOn.set(map, datum)

/** The datum of what lies beneath a map: what is drawn after it by hand was drawn in that. */
export const datumOf = (map: LeafletMap): Datum => drawnOn.get(map) ?? 'wgs84'

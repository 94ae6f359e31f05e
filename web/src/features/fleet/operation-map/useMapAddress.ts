import type { Map as LeafletMap } from 'leaflet'
import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router-dom'

import type { MapStart } from '@/map/MapView'
import type { Mask } from '@/map/vehicles/fleetMath'

import { readFilter, writeFilter } from './mapFilter'
import { PICK_NAMES, pickOf, readPickText } from './pick/pick'

/** What the address remembers: the filter, the chosen bike, and the moment that is looked at. */
export function useMapAddress() {
  const [search, setSearch] = useSearchParams()
  // All that one act changes goes together: of two changes in a row the second would not know of the first.
  const set = useCallback(
    (changes: Readonly<Record<string, string | null>>) => {
      setSearch(
        (before) => {
          const next = new URLSearchParams(before)
          for (const [name, value] of Object.entries(changes)) {
            if (value === null) next.delete(name)
            else next.set(name, value)
          }
          return next
        },
        { replace: true },
      )
    },
    [setSearch],
  )
  const setMask = useCallback((mask: Mask) => set({ f: writeFilter(mask) }), [set])
  const clearFilters = useCallback(() => set({ f: null, ...Object.fromEntries(PICK_NAMES.map((name) => [name, null])) }), [set])
  const setCarId = useCallback((carId: string | null) => set({ carId }), [set])
  const setAt = useCallback((at: number | null) => set({ at: at === null ? null : String(at) }), [set])
  const picked = useMemo(() => readPickText(search), [search])
  // One object for as long as it says the same: what is watched hangs on it.
  const sign = JSON.stringify(pickOf(picked))
  const pick = useMemo(() => JSON.parse(sign) as ReturnType<typeof pickOf>, [sign])
  const showNow = useCallback((carId: string) => set({ carId, at: null }), [set])
  return { mask: readFilter(search.get('f')), carId: search.get('carId') || null, at: readMoment(search.get('at')), picked, pick, setPicked: set, clearFilters, setMask, setCarId, setAt, showNow }
}

/** A past moment, epoch ms; null: now. */
export function readMoment(text: string | null): number | null {
  const at = Number(text ?? '')
  return Number.isSafeInteger(at) && at > 0 ? at : null
}

const VIEW = 'map-view'
/** All of the country, until the areas are known. */
const COUNTRY: MapStart = { lat: 34.5, lng: 108, zoom: 5 }

/** The view kept in `text`, or null when it is none. */
export function readView(text: string | null): MapStart | null {
  const [lat, lng, zoom] = (text ?? '').split(',').map(Number)
  if (lat === undefined || lng === undefined || zoom === undefined) return null
  const possible = Math.abs(lat) <= 85 && Math.abs(lng) <= 180 && zoom >= 4 && zoom <= 19
  return possible ? { lat, lng, zoom } : null
}

const kept = readView(localStorage.getItem(VIEW))

/** Where the map begins. */
export const startingView = { view: kept ?? COUNTRY, remembered: kept !== null }

/** Keeps where the map looks for the next visit, until the answer is called. */
export function rememberView(map: LeafletMap | null): (() => void) | undefined {
  if (map === null) return undefined
  const keep = () => {
    const { lat, lng } = map.getCenter()
    const view = { lat: Number(lat.toFixed(5)), lng: Number(lng.toFixed(5)), zoom: map.getZoom() }
    localStorage.setItem(VIEW, `${view.lat},${view.lng},${view.zoom}`)
    startingView.view = view
    startingView.remembered = true
  }
  map.on('moveend', keep)
  return () => {
    map.off('moveend', keep)
  }
}

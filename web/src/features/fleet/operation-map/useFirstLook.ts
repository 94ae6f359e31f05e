import type { Map as LeafletMap } from 'leaflet'
import { useCallback, useEffect, useRef } from 'react'

import { boundsOf, type FenceMap } from '@/map/fences/fences'

import { fitFree } from './framing'
import { rememberView, startingView } from './useMapAddress'

/**
 * The first look is at the areas, unless this browser remembers where it was; where it looks is kept for the next one. `fitAll` looks
 * at the areas again; whoever looks elsewhere before they came says so by `place`.
 */
export function useFirstLook(map: LeafletMap | null, fences: FenceMap | undefined): { fitAll: () => void; place: () => void } {
  const fitAll = useCallback(() => {
    const bounds = fences === undefined ? null : boundsOf(fences)
    if (bounds !== null && map !== null) fitFree(map, bounds)
  }, [map, fences])
  const placed = useRef(startingView.remembered)
  useEffect(() => {
    if (placed.current || map === null || fences === undefined) return
    placed.current = true
    fitAll()
  }, [map, fences, fitAll])
  const place = useCallback(() => {
    placed.current = true
  }, [])
  useEffect(() => rememberView(map), [map])
  return { fitAll, place }
}

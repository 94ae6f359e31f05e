import { useCallback, useState } from 'react'

const KEY = 'map-layers'

/** What lies on the map beside bikes and fences. */
export interface MapLayers {
  readonly heat: boolean
  readonly stations: boolean
}

function kept(): MapLayers {
  const names = (localStorage.getItem(KEY) ?? '').split(',')
  return { heat: names.includes('heat'), stations: names.includes('stations') }
}

/** Which layers are on; kept for the next visit. */
export function useMapLayers(): [MapLayers, (next: MapLayers) => void] {
  const [layers, setLayers] = useState(kept)
  const set = useCallback((next: MapLayers) => {
    localStorage.setItem(KEY, Object.entries(next).flatMap(([layer, on]) => (on ? [layer] : [])).join(','))
    setLayers(next)
  }, [])
  return [layers, set]
}

import type { Map as LeafletMap } from 'leaflet'

/**
 * Has a map look where it shall, at once or as soon as it has a box: a drawer is filled before it stands in the page. Answers how
 * to call it off.
 */
export function firstLook(map: LeafletMap, look: () => void): () => void {
  // Twice: the first ends a pan that keeps the map within its bounds, and that begins another, which the second ends.
  const twice = () => {
    look()
    look()
  }
  if (map.getContainer().clientWidth > 0) {
    map.invalidateSize({ animate: false })
    twice()
    return () => undefined
  }
  map.once('resize', twice)
  return () => {
    map.off('resize', twice)
  }
}

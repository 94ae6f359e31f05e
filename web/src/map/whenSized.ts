import type { Map as LeafletMap } from 'leaflet'

/**
 * Does what needs to know how large the map is, at once or as soon as it has a box: a drawer is filled before it stands in the
 * page. Answers how to call it off.
 */
export function whenSized(map: LeafletMap, then: () => void): () => void {
  if (map.getContainer().clientWidth > 0) {
    map.invalidateSize({ animate: false })
    then()
    return () => undefined
  }
  map.once('resize', then)
  return () => {
    map.off('resize', then)
  }
}

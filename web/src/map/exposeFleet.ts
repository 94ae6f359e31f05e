import type { Map as LeafletMap } from 'leaflet'

import type { FleetFeed } from '@/live/fleetFeed'

import type { PaintStats, VehicleLayer } from './vehicles/VehicleLayer'

/** What a person with the console open, or a test, may read of the live map. Nothing can be changed. */
export interface FleetWindow {
  /** Bikes held. */
  readonly count: number
  /** Last tick. */
  readonly seq: number | undefined
  /** Records that moved a known bike. */
  readonly moved: number
  /** How the last paint went. */
  readonly paint: Readonly<PaintStats>
  /** The bike drawn nearest to the middle of the map, in page coordinates; of one state when given. */
  nearMiddle(state?: number): { readonly slot: number; readonly x: number; readonly y: number } | null
}

const HOOK = '__fleet'

declare global {
  interface Window {
    [HOOK]?: FleetWindow
  }
}

/** Shows the live map's figures at `window.__fleet` until the answer is called. */
export function exposeFleet(layer: VehicleLayer, feed: FleetFeed, map: LeafletMap): () => void {
  const shown: FleetWindow = {
    get count() {
      return feed.bikes.count
    },
    get seq() {
      return feed.seq
    },
    get moved() {
      return feed.bikes.moved
    },
    get paint() {
      return { ...layer.stats }
    },
    nearMiddle(state) {
      const size = map.getSize()
      const corner = map.getContainer().getBoundingClientRect()
      let best: { slot: number; x: number; y: number } | null = null
      let nearest = Number.POSITIVE_INFINITY
      for (let slot = 0; slot < feed.bikes.high; slot += 1) {
        if (state !== undefined && (feed.bikes.flags[slot]! & 0x0f) !== state) continue
        const place = layer.placeOf(slot)
        if (place === null) continue
        const distance = Math.hypot(place.x - size.x / 2, place.y - size.y / 2)
        if (distance >= nearest) continue
        nearest = distance
        best = { slot, x: corner.left + place.x, y: corner.top + place.y }
      }
      return best
    },
  }
  window[HOOK] = shown
  return () => {
    if (window[HOOK] === shown) delete window[HOOK]
  }
}

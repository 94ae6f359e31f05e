import type { Map as LeafletMap } from 'leaflet'

import type { FleetFeed } from '@/live/fleetFeed'
import { liveSocket } from '@/live/live'

import { signSize } from './vehicles/fleetMath'
import type { PaintStats, VehicleLayer } from './vehicles/VehicleLayer'

/** A place on the page. */
interface OnPage {
  readonly x: number
  readonly y: number
}

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
  /** Middle of the map's view, its zoom, and how many px a sign is across. */
  readonly view: { readonly lat: number; readonly lng: number; readonly zoom: number; readonly signSize: number }
  /** Single bikes in the order of drawing, in page coordinates; `kind` is the state, bit 4 an alarm. */
  signs(): readonly (OnPage & { readonly slot: number; readonly kind: number })[]
  /** Counts, in page coordinates. */
  stops(): readonly (OnPage & { readonly total: number })[]
  /** The number of the bike in a slot. */
  who(slot: number): Promise<string | null>
}

const HOOK = '__fleet'

declare global {
  interface Window {
    [HOOK]?: FleetWindow
  }
}

/** Shows the live map's figures at `window.__fleet` until the answer is called. */
export function exposeFleet(layer: VehicleLayer, feed: FleetFeed, map: LeafletMap): () => void {
  const onPage = <T extends OnPage>(things: readonly T[]): T[] => {
    const corner = map.getContainer().getBoundingClientRect()
    return things.map((thing) => ({ ...thing, x: corner.left + thing.x, y: corner.top + thing.y }))
  }
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
    get view() {
      const { lat, lng } = map.getCenter()
      return { lat, lng, zoom: map.getZoom(), signSize: signSize(map.getZoom()) }
    },
    signs: () => onPage(layer.signs()),
    stops: () => onPage(layer.stops()),
    who: (slot) => liveSocket.who(slot),
  }
  window[HOOK] = shown
  return () => {
    if (window[HOOK] === shown) delete window[HOOK]
  }
}

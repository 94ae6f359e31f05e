/** The page of `bench map`: what `scripts/benchMap.ts` calls, step by step. */
import L from 'leaflet'
import 'leaflet/dist/leaflet.css'

import { city, ride, type BenchBike } from './fleet'
import { systems, type System, type SystemName } from './systems'

const map = L.map('map', { center: [30.25, 120.15], zoom: 13, zoomControl: false, attributionControl: false, zoomAnimation: false, fadeAnimation: false })
let system: System | null = null
let bikes: BenchBike[] = []
let turn = 0

/** What the measuring program may do. */
export const steps = {
  /** Begins anew with `count` bikes, and makes the first picture ready. */
  async begin(name: SystemName, count: number, riding: number): Promise<void> {
    system?.end()
    bikes = city(count, riding)
    turn = 0
    system = systems[name](map)
    await system.started
    system.prepare(bikes, null)
  },
  /** Makes an update ready in which `count` bikes moved. */
  move(count: number): void {
    const moved = ride(bikes, turn * count, count)
    turn += 1
    system?.prepare(bikes, moved)
  },
  /** Draws what was made ready. */
  async draw(): Promise<void> {
    await system?.draw()
  },
}

declare global {
  interface Window {
    bench: typeof steps
  }
}
window.bench = steps

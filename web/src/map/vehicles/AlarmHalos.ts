import L from 'leaflet'

import { latOf, lngOf } from '@/live/projection'
import { ALARM_BIT, signSize, type Bikes } from './fleetMath'

/** Alarming bikes that get a marker of their own; the others keep their red ring. */
const LIMIT = 50
const CHOOSE_EVERY_MS = 500
const PANE = 'halos'

/** Pulsing halos of alarming bikes, as real markers below the canvas of signs. */
export class AlarmHalos {
  private readonly markers = new Map<number, L.Marker>()
  private chosenAt = 0

  constructor(private readonly bikes: Bikes) {}

  /** Moves the halos to their bikes, and chooses anew twice a second among the listed slots. */
  update(map: L.Map, slots: Int32Array, stale: boolean): void {
    const now = performance.now()
    if (stale) {
      this.clear()
      return
    }
    if (now - this.chosenAt >= CHOOSE_EVERY_MS) {
      this.chosenAt = now
      this.choose(map, slots)
      // A halo as large as in a street would hide a whole quarter of the city.
      map.getPane(PANE)?.style.setProperty('--halo-radius', `${(signSize(map.getZoom()) / 2 + 5).toFixed(1)}px`)
    }
    for (const [slot, marker] of this.markers) {
      if (this.bikes.present[slot]) move(marker, latOf(this.bikes.y[slot]!), lngOf(this.bikes.x[slot]!))
      else this.drop(slot)
    }
  }

  /** Chooses anew at the next update. */
  forget(): void {
    this.chosenAt = 0
  }

  /** Removes all halos. */
  clear(): void {
    for (const slot of this.markers.keys()) this.drop(slot)
    this.chosenAt = 0
  }

  private choose(map: L.Map, slots: Int32Array): void {
    const wanted = new Set<number>()
    // Alarming bikes come last among those that are drawn.
    for (let index = slots.length - 1; index >= 0 && wanted.size < LIMIT; index -= 1) {
      const slot = slots[index]!
      if ((this.bikes.flags[slot]! & ALARM_BIT) === 0) break
      wanted.add(slot)
    }
    for (const slot of this.markers.keys()) if (!wanted.has(slot)) this.drop(slot)
    for (const slot of wanted) if (!this.markers.has(slot)) this.markers.set(slot, this.add(map, slot))
  }

  private add(map: L.Map, slot: number): L.Marker {
    if (map.getPane(PANE) === undefined) {
      const pane = map.createPane(PANE)
      pane.style.zIndex = '440'
      pane.style.pointerEvents = 'none'
    }
    const icon = L.divIcon({ className: 'bike-halo', iconSize: [30, 30] })
    const at = L.latLng(latOf(this.bikes.y[slot]!), lngOf(this.bikes.x[slot]!))
    return L.marker(at, { icon, pane: PANE, interactive: false, keyboard: false }).addTo(map)
  }

  private drop(slot: number): void {
    this.markers.get(slot)?.remove()
    this.markers.delete(slot)
  }
}

/** Most stand still: to place a marker anew costs a layout. */
function move(marker: L.Marker, lat: number, lng: number): void {
  const at = marker.getLatLng()
  if (at.lat !== lat || at.lng !== lng) marker.setLatLng([lat, lng])
}

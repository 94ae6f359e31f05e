import { describe, expect, it } from 'vitest'

import { FleetStore } from '@/live/fleetStore'

import type { View } from '../view'
import { latOf, lngOf } from '@/live/projection'
import { ALARM_MASK, signSize, stampSigns, stopRadius, type Stamp } from './fleetMath'
import { hitAt, sceneOf, STOP_ZOOM, type Scene } from './scene'

const PX = 400

/** A view of 400 × 400 px around the middle of the world. */
function viewAt(zoom: number): View {
  const scale = 2 ** zoom
  return { width: PX, height: PX, scale, originX: 128 * scale - PX / 2, originY: 128 * scale - PX / 2, zoom, density: 1, marginX: 0, marginY: 0 }
}
const street = viewAt(STOP_ZOOM + 1)

/** Bikes at px of the view. */
function fleetOf(view: View, ...bikes: [slot: number, x: number, y: number, flags?: number][]): FleetStore {
  const store = new FleetStore()
  for (const [slot, x, y, flags] of bikes) {
    const lng = lngOf((x + view.originX) / view.scale)
    const lat = latOf((y + view.originY) / view.scale)
    store.put(slot, Math.round(lat * 1e6), Math.round(lng * 1e6), 50, flags ?? 0, 0, 0)
  }
  return store
}

/** Which sign the painter leaves on top at each px: stamps of the sign's size, each in the ink of its place in the order. */
function painted(scene: Scene): (x: number, y: number) => number {
  const side = Math.round(signSize(scene.view.zoom))
  const pixels = new Uint32Array(PX * PX)
  for (let at = 0; at < scene.slots.length; at += 1) {
    const stamp: Stamp = { side, pixels: disc(side, 0xff000000 + scene.slots[at]!) }
    const one = { x: scene.x.subarray(at, at + 1), y: scene.y.subarray(at, at + 1), kinds: Uint8Array.of(0) }
    stampSigns(one, { pixels, width: PX, height: PX, density: 1 }, [stamp])
  }
  return (x, y) => pixels[Math.floor(y) * PX + Math.floor(x)]! - 0xff000000
}

function disc(side: number, ink: number): Uint32Array {
  const middle = side / 2
  return Uint32Array.from({ length: side * side }, (_, at) =>
    Math.hypot((at % side) + 0.5 - middle, Math.floor(at / side) + 0.5 - middle) <= middle - 0.5 ? ink : 0,
  )
}

const slotsOf = (scene: Scene, x: number, y: number) => {
  const hit = hitAt(scene, x, y)
  return hit?.kind === 'bikes' ? hit.slots : []
}

describe('a click', () => {
  it('hits what is painted on top, at the exact centre of each sign and beside it', () => {
    const bikes = fleetOf(street, [9, 100, 100], [2, 106, 100], [5, 112, 104, 0x10], [7, 104, 96, 3], [1, 108, 108, 5])
    const scene = sceneOf(bikes, street, 0)
    const top = painted(scene)
    for (let at = 0; at < scene.slots.length; at += 1) {
      const [x, y] = [scene.x[at]!, scene.y[at]!]
      expect(slotsOf(scene, x, y)[0], `at the centre of ${scene.slots[at]}`).toBe(top(x, y))
    }
    // Not the nearest centre: 5 lies on top of it.
    expect(slotsOf(scene, 108, 101)[0]).toBe(5)
  })

  it('lists all that share the place, the topmost first, and none beside it', () => {
    const scene = sceneOf(fleetOf(street, [1, 100, 100], [2, 103, 100], [3, 101, 102], [4, 140, 100]), street, 0)
    expect(slotsOf(scene, 101, 101)).toEqual([3, 2, 1])
  })

  it('never hits what the filter hides or what is gone', () => {
    const bikes = fleetOf(street, [1, 100, 100, 3], [2, 101, 100, 0])
    expect(slotsOf(sceneOf(bikes, street, 1 << 3), 101, 100)).toEqual([1])
    expect(slotsOf(sceneOf(bikes, street, ALARM_MASK), 101, 100)).toEqual([])
    bikes.put(1, 0, 0, 0, 0x40, 0, 0)
    expect(slotsOf(sceneOf(bikes, street, 1 << 3), 101, 100)).toEqual([])
  })

  it('beside all signs takes the nearest within a finger, and nothing farther', () => {
    const scene = sceneOf(fleetOf(street, [1, 100, 100], [2, 130, 100]), street, 0)
    expect(slotsOf(scene, 111, 100)).toEqual([1])
    expect(slotsOf(scene, 119.5, 100)).toEqual([2])
    expect(hitAt(scene, 100, 160)).toBeNull()
  })

  it('is tested against what is on the screen, though the bike went on since', () => {
    const bikes = fleetOf(street, [1, 100, 100])
    const scene = sceneOf(bikes, street, 0)
    bikes.put(1, 1_000_000, 1_000_000, 50, 0, 0, 0)
    expect(slotsOf(scene, 100, 100)).toEqual([1])
  })
})

describe('the order of drawing', () => {
  it('puts alarming bikes last, so that nothing lies on them', () => {
    const scene = sceneOf(fleetOf(street, [1, 100, 100, 0x10], [2, 100, 100], [3, 200, 100, 0x14]), street, 0)
    expect([...scene.slots]).toEqual([2, 1, 3])
  })
})

describe('counts', () => {
  const city = viewAt(14)

  it('stand for standing bikes that share a place: every bike is a sign or in a count, once', () => {
    const stand = Array.from({ length: 37 }, (_, slot): [number, number, number, number] => [slot, 100 + (slot % 6), 100 + (slot % 5), slot % 2 === 0 ? 0 : 4])
    const scene = sceneOf(fleetOf(city, ...stand, [40, 300, 300], [41, 100, 100, 0x81], [42, 103, 101, 0x14]), city, 0)
    expect(scene.stops.map((stop) => [stop.total, stop.alarm, stop.byState.slice(0, 6)])).toEqual([[38, 1, [19, 0, 0, 0, 19, 0]]])
    expect([...scene.slots].toSorted((a, b) => a - b)).toEqual([40, 41])
    expect(scene.stops[0]?.slots().toSorted((a, b) => a - b)).toEqual([...stand.keys(), 42])
    expect(scene.inView).toBe(40)
  })

  it('make no sign of 373 bikes at a few dozen stops disappear', () => {
    const bikes = Array.from({ length: 373 }, (_, slot): [number, number, number] => [slot, 20 + (slot % 6) * 60 + (slot % 4), 20 + (Math.floor(slot / 6) % 6) * 60])
    const scene = sceneOf(fleetOf(city, ...bikes), city, 0)
    expect(scene.stops.reduce((sum, stop) => sum + stop.total, 0) + scene.slots.length).toBe(373)
    expect(scene.stops).toHaveLength(36)
  })

  it('do not lie on one another or on a single bike', () => {
    const bikes = Array.from({ length: 300 }, (_, slot): [number, number, number] => [slot, 40 + ((slot * 37) % 320), 40 + ((slot * 91) % 320)])
    const { stops } = sceneOf(fleetOf(city, ...bikes), city, 0)
    expect(stops.length).toBeGreaterThan(5)
    for (const [at, a] of stops.entries()) {
      for (const b of stops.slice(at + 1)) expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(Math.min(stopRadius(a.total), stopRadius(b.total)))
    }
  })

  it('stay where they are while the map is dragged', () => {
    const bikes = fleetOf(city, [1, 200, 200], [2, 204, 203], [3, 209, 199])
    const dragged = { ...city, originX: city.originX + 7, originY: city.originY - 5 }
    const [before] = sceneOf(bikes, city, 0).stops
    const [after] = sceneOf(bikes, dragged, 0).stops
    expect([after?.total, (after?.x ?? 0) + 7, (after?.y ?? 0) - 5]).toEqual([before?.total, expect.closeTo(before?.x ?? 0), expect.closeTo(before?.y ?? 0)])
  })

  it('end at the street, and count only what the filter shows', () => {
    const bikes = (view: View) => fleetOf(view, [1, 100, 100], [2, 101, 100], [3, 101, 101, 4])
    expect(sceneOf(bikes(street), street, 0).stops).toEqual([])
    expect(sceneOf(bikes(city), city, 1).stops.map((stop) => stop.total)).toEqual([2])
    expect(sceneOf(bikes(city), city, 1 << 4).stops).toEqual([])
  })

  it('are hit before the signs beneath them', () => {
    const scene = sceneOf(fleetOf(city, [1, 100, 100], [2, 101, 100], [3, 102, 100, 0x81]), city, 0)
    expect(hitAt(scene, 102, 100)).toMatchObject({ kind: 'stop', stop: { total: 2 } })
  })
})

import { describe, expect, it } from 'vitest'

import { FleetStore } from '@/live/fleetStore'

import type { GroundFeature, GroundKind } from './base/baseMap'
import { extentOf, goneOn } from './base/beyond'
import { looksWithin } from './bounds'
import { hoverText } from './hoverText'
import { listed, neighbour } from './listing'
import { ALARM_MASK } from './vehicles/fleetMath'

describe('the list of what the filter holds', () => {
  function fleetOf(...bikes: [slot: number, soc: number, flags: number][]): FleetStore {
    const store = new FleetStore()
    for (const [slot, soc, flags] of bikes) store.put(slot, 0, 0, soc, flags, 0, 0)
    return store
  }
  const bikes = fleetOf([1, 80, 0], [2, 10, 4], [3, 5, 4], [4, 10, 0x14], [5, 99, 1])

  it('begins with the least charged and holds nothing that is hidden or gone', () => {
    expect(listed(bikes, 0)).toEqual([3, 2, 4, 1, 5])
    expect(listed(bikes, 1 << 4)).toEqual([3, 2, 4])
    expect(listed(bikes, ALARM_MASK)).toEqual([4])
    const fewer = fleetOf([1, 80, 0], [2, 10, 0])
    fewer.put(1, 0, 0, 0, 0x40, 0, 0)
    expect(listed(fewer, 0)).toEqual([2])
  })

  it('is gone through in both directions, round its ends', () => {
    const slots = [3, 2, 4]
    expect([neighbour(slots, 3, 1), neighbour(slots, 4, 1), neighbour(slots, 3, -1)]).toEqual([2, 3, 4])
    expect([neighbour(slots, 77, 1), neighbour(slots, 77, -1), neighbour([], 3, 1)]).toEqual([3, 4, -1])
  })
})

describe('the label beside the pointer', () => {
  const bikes = { flags: Uint8Array.of(1, 0x14), soc: Uint8Array.of(64, 9) }
  const nameOf = (slot: number) => (slot === 0 ? 'A0012' : undefined)
  it('says number, state and charge, and how many share the place', () => {
    expect(hoverText({ kind: 'bikes', slots: [0] }, bikes, nameOf)).toBe('A0012 · 骑行中 · 电量 64%')
    expect(hoverText({ kind: 'bikes', slots: [1, 0] }, bikes, nameOf)).toBe('低电（告警） · 电量 9%，此处共 2 辆')
  })
  it('says what a count counts', () => {
    const stop = { x: 0, y: 0, total: 11, alarm: 0, byState: [8, 0, 0, 0, 3, 0, 0, 0], slots: () => [] }
    expect(hoverText({ kind: 'stop', stop }, bikes, nameOf)).toBe('11 辆：待使用 8，低电 3')
  })
})

describe('beyond the base map', () => {
  const polygon = (kind: GroundKind, ring: number[][]): GroundFeature => ({
    type: 'Feature',
    properties: { kind, class: 1, name: '' },
    geometry: { type: 'Polygon', coordinates: [ring] },
  })
  const land = polygon('land', [[120, 30], [121, 30], [121, 31], [120, 31], [120, 30]])
  const sea = polygon('water', [[120, 30], [121, 30], [121, 30.2], [120.5, 30.25], [120, 30.2], [120, 30]])
  const lake = polygon('water', [[120.4, 30.6], [120.5, 30.6], [120.5, 30.7], [120.4, 30.6]])
  const park = polygon('park', [[120, 30.5], [120.1, 30.5], [120.1, 30.6], [120, 30.5]])
  const ringOf = (feature: GroundFeature | undefined) => (feature?.geometry.type === 'Polygon' ? feature.geometry.coordinates[0] : undefined)

  it('land and sea go on where they were cut, and what lies inside stays', () => {
    const [wide, far, ...rest] = goneOn([land, sea, lake, park])
    expect(ringOf(wide)).toEqual([[116, 26], [125, 26], [125, 35], [116, 35], [116, 26]])
    expect(ringOf(far)).toEqual([[116, 26], [125, 26], [125, 30.2], [120.5, 30.25], [116, 30.2], [116, 26]])
    expect(rest).toEqual([lake, park])
    expect(goneOn([lake])).toEqual([lake])
  })

  it('is bounded around city and areas, whichever reaches farther, and not at all without either', () => {
    expect(extentOf([land, sea])).toEqual([120, 30, 121, 31])
    expect(looksWithin([120, 30, 121, 31], null)).toEqual([[29.4, 119.4], [31.6, 121.6]])
    expect(looksWithin([120, 30, 121, 31], [[30.5, 119], [30.6, 120]])).toEqual([[29.4, 119 - 1.2], [31.6, 121 + 1.2]])
    expect(looksWithin(null, null)).toBeNull()
  })
})

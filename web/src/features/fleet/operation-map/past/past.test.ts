import { describe, expect, it } from 'vitest'
import { FleetFeed } from '@/live/fleetFeed'
import { BIKE_BYTES, FLEET_MARK, FrameKind, HEADER_BYTES } from '@/live/fleetFrame'
import { buffersOf, gapsOf, isKnown, nextKnown, totalsOf } from './past'

const known = [
  { from: 0, until: 600_000 },
  { from: 900_000, until: 1_000_000 },
]

function buffer(kind: number, bikes: readonly { slot: number; flags: number }[]): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + bikes.length * BIKE_BYTES)
  const view = new DataView(bytes.buffer)
  view.setUint8(0, FLEET_MARK)
  view.setUint8(1, kind)
  view.setUint16(2, bikes.length, true)
  view.setBigInt64(8, 5_000n, true)
  for (const [number, { slot, flags }] of bikes.entries()) {
    const at = HEADER_BYTES + number * BIKE_BYTES
    view.setUint32(at, slot, true)
    view.setInt32(at + 4, 24_500_000, true)
    view.setInt32(at + 8, 118_100_000, true)
    view.setUint8(at + 12, 80)
    view.setUint8(at + 13, flags)
  }
  return bytes
}

describe('a moment', () => {
  it('its answer is taken apart and makes the fleet of then', () => {
    const parts = [
      buffer(FrameKind.snapshotStart, []),
      buffer(FrameKind.snapshotBikes, [
        { slot: 7, flags: 0 },
        { slot: 9, flags: 0x11 },
      ]),
      buffer(FrameKind.snapshotBikes, [{ slot: 12, flags: 7 }]),
      buffer(FrameKind.snapshotEnd, []),
    ]
    const answer = Uint8Array.from(parts.flatMap((part) => [...part])).buffer
    const feed = new FleetFeed()
    const buffers = buffersOf(answer)
    expect(buffers.map(({ byteLength }) => byteLength)).toEqual(parts.map(({ byteLength }) => byteLength))
    for (const part of buffers) feed.accept(part, 0)
    expect(totalsOf(feed.bikes)).toEqual({ states: [1, 1, 0, 0, 0, 0, 0, 1, 0], shelved: 3, rentable: 1, online: 2, alarm: 1 })
    feed.accept(buffer(FrameKind.changes, [{ slot: 9, flags: 0x41 }]).buffer as ArrayBuffer, 0)
    expect(totalsOf(feed.bikes).shelved).toBe(2)
  })
})

describe('what is known', () => {
  it('of a moment between two spans nothing is, and play goes on at the next one', () => {
    expect([isKnown(known, 615_000), isKnown(known, 615_001), isKnown(known, 899_999), isKnown(known, 900_000)]).toEqual([true, false, false, true])
    expect([nextKnown(known, 300_000), nextKnown(known, 700_000), nextKnown(known, 2_000_000)]).toEqual([300_000, 900_000, null])
  })

  it('gaps are parts of the way that is shown', () => {
    expect(gapsOf(known, 0, 1_000_000)).toEqual([{ start: 0.6, end: 0.9 }])
    expect(gapsOf(known, 0, 2_000_000)).toEqual([
      { start: 0.3, end: 0.45 },
      { start: 0.5, end: 1 },
    ])
    expect(gapsOf(known, 100_000, 500_000)).toEqual([])
    expect(gapsOf([], 0, 10)).toEqual([])
    expect(gapsOf([], 0, 100_000)).toEqual([{ start: 0, end: 1 }])
  })
})

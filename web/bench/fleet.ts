/** A fleet by arithmetic: the same in every run, as the server would send it. */
import { BIKE_BYTES, FLEET_MARK, FrameKind, HEADER_BYTES } from '@/live/fleetFrame'

/** What is drawn of a bike. */
export interface BenchBike {
  lat: number
  lng: number
  state: number
  alarm: boolean
  heading: number
}

const MIDDLE = { lat: 30.25, lng: 120.15 }
const SPAN = { lat: 0.1, lng: 0.22 }
/** Bikes stand at stops, about so many at each. */
const PER_STOP = 12
/** Most one buffer holds. */
const PER_BUFFER = 16_384

/** Numbers between 0 and 1 that look like chance (mulberry32). */
export function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** `count` bikes, of which a share rides. */
export function city(count: number, riding: number): BenchBike[] {
  const next = chance(7)
  const stops = Array.from({ length: Math.ceil(count / PER_STOP) }, () => place(next))
  return Array.from({ length: count }, () => {
    const rides = next() < riding
    const stop = stops[Math.floor(next() * stops.length)] ?? MIDDLE
    const at = rides ? place(next) : { lat: stop.lat + (next() - 0.5) * 2e-4, lng: stop.lng + (next() - 0.5) * 2e-4 }
    return { ...at, state: rides ? 1 : next() < 0.8 ? 0 : 4, alarm: next() < 0.01, heading: Math.floor(next() * 180) }
  })
}

function place(next: () => number): { lat: number; lng: number } {
  return { lat: MIDDLE.lat + (next() - 0.5) * SPAN.lat, lng: MIDDLE.lng + (next() - 0.5) * SPAN.lng }
}

/** Moves `count` bikes, beginning at `from`, a few metres on, as a report does; answers which. */
export function ride(bikes: BenchBike[], from: number, count: number): number[] {
  const moved: number[] = []
  for (let step = 0; step < count; step += 1) {
    const slot = (from + step) % bikes.length
    const bike = bikes[slot]
    if (bike === undefined) continue
    const angle = (bike.heading * 2 * Math.PI) / 180
    bike.lat += Math.cos(angle) * 1.2e-4
    bike.lng += Math.sin(angle) * 1.4e-4
    if (Math.abs(bike.lat - MIDDLE.lat) > SPAN.lat / 2 || Math.abs(bike.lng - MIDDLE.lng) > SPAN.lng / 2) bike.heading = (bike.heading + 90) % 180
    moved.push(slot)
  }
  return moved
}

/** The buffers of a snapshot or of changes, as `docs/push.md` describes them. */
export function buffers(kind: 'snapshot' | 'changes', bikes: readonly BenchBike[], slots: readonly number[], seq: number): ArrayBuffer[] {
  const made: ArrayBuffer[] = []
  for (let from = 0; from < slots.length; from += PER_BUFFER) {
    made.push(records(kind === 'snapshot' ? FrameKind.snapshotBikes : FrameKind.changes, bikes, slots.slice(from, from + PER_BUFFER), seq))
  }
  return kind === 'changes' ? made : [records(FrameKind.snapshotStart, [], [], seq), ...made, records(FrameKind.snapshotEnd, [], [], seq)]
}

function records(kind: number, bikes: readonly BenchBike[], slots: readonly number[], seq: number): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + slots.length * BIKE_BYTES))
  view.setUint8(0, FLEET_MARK)
  view.setUint8(1, kind)
  view.setUint16(2, slots.length, true)
  view.setUint32(4, seq, true)
  view.setBigInt64(8, 1_700_000_000_000n, true)
  for (const [index, slot] of slots.entries()) {
    const bike = bikes[slot]
    if (bike === undefined) continue
    const at = HEADER_BYTES + index * BIKE_BYTES
    view.setUint32(at, slot, true)
    view.setInt32(at + 4, Math.round(bike.lat * 1e6), true)
    view.setInt32(at + 8, Math.round(bike.lng * 1e6), true)
    view.setUint8(at + 12, 60)
    view.setUint8(at + 13, bike.state | (bike.alarm ? 0x10 : 0) | (bike.state === 1 ? 0x80 : 0))
    view.setUint8(at + 15, bike.heading)
  }
  return view.buffer
}

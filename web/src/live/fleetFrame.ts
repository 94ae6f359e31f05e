/**
 * Reads the binary fleet buffers of `docs/push.md`. Nothing of a buffer is applied before all of
 * it has been checked, so a damaged one leaves the stores as they were.
 */

export const FLEET_MARK = 0xfb
export const HEADER_BYTES = 16
export const BIKE_BYTES = 16
export const CLUSTER_BYTES = 32
/** Bikes a fleet may have; a slot above it is damage, and must not make the store grow. */
export const MAX_SLOTS = 1 << 20
/** States a bike can be in, in the order of the low four bits. */
export const STATE_COUNT = 8

export const FrameKind = {
  changes: 1,
  snapshotStart: 2,
  snapshotBikes: 3,
  snapshotEnd: 4,
  clusters: 5,
} as const

/** Bits of a bike's state byte above the four that hold the state itself. */
export const Bit = { alarm: 0x10, locked: 0x20, gone: 0x40, moving: 0x80 } as const
export const STATE_MASK = 0x0f

/** A buffer that is not what `docs/push.md` describes. */
export class BadFleetFrame extends Error {
  override readonly name = 'BadFleetFrame'
}

/** What every buffer begins with. */
export interface FleetHeader {
  readonly kind: number
  readonly count: number
  /** Tick of the server process. */
  readonly seq: number
  /** Server time, epoch milliseconds. */
  readonly timeMs: number
}

/** Counts of one map cell, at level `watched zoom + 2`. */
export interface Cluster {
  readonly x: number
  readonly y: number
  readonly total: number
  readonly alarm: number
  readonly byState: readonly number[]
}

/** Receives the checked contents of a buffer, in order. */
export interface FleetSink {
  snapshotStart(): void
  snapshotEnd(): void
  /** Positions in 1e-6 degree WGS-84; `flags` is the state byte as sent; `heading` in degrees / 2. */
  bike(slot: number, latE6: number, lngE6: number, soc: number, flags: number, speed: number, heading: number): void
  areaClusters(areaId: string, clusters: readonly Cluster[]): void
}

const MAX_LAT_E6 = 90_000_000
const MAX_LNG_E6 = 180_000_000

/**
 * Checks `buffer` and hands its contents to `sink`.
 *
 * @throws BadFleetFrame when it is cut short, too long, of an unknown kind or holds impossible values
 */
export function readFleetFrame(buffer: ArrayBuffer, sink: FleetSink): FleetHeader {
  const view = new DataView(buffer)
  const header = readHeader(view)
  switch (header.kind) {
    case FrameKind.changes:
    case FrameKind.snapshotBikes:
      readBikes(view, header.count, sink)
      break
    case FrameKind.snapshotStart:
      expectLength(view, HEADER_BYTES)
      sink.snapshotStart()
      break
    case FrameKind.snapshotEnd:
      expectLength(view, HEADER_BYTES)
      sink.snapshotEnd()
      break
    case FrameKind.clusters:
      readClusters(view, header.count, sink)
      break
    default:
      throw new BadFleetFrame(`unknown kind ${header.kind}`)
  }
  return header
}

function readHeader(view: DataView): FleetHeader {
  if (view.byteLength < HEADER_BYTES) throw new BadFleetFrame(`header cut short at ${view.byteLength} bytes`)
  if (view.getUint8(0) !== FLEET_MARK) throw new BadFleetFrame('not a fleet buffer')
  const timeMs = Number(view.getBigInt64(8, true))
  if (!Number.isSafeInteger(timeMs) || timeMs < 0) throw new BadFleetFrame('impossible time')
  return { kind: view.getUint8(1), count: view.getUint16(2, true), seq: view.getUint32(4, true), timeMs }
}

function expectLength(view: DataView, bytes: number): void {
  if (view.byteLength !== bytes) throw new BadFleetFrame(`${view.byteLength} bytes where ${bytes} were announced`)
}

function readBikes(view: DataView, count: number, sink: FleetSink): void {
  const end = HEADER_BYTES + count * BIKE_BYTES
  expectLength(view, end)
  for (let at = HEADER_BYTES; at < end; at += BIKE_BYTES) {
    if (view.getUint32(at, true) >= MAX_SLOTS) throw new BadFleetFrame('slot out of range')
    const lat = view.getInt32(at + 4, true)
    const lng = view.getInt32(at + 8, true)
    if (lat < -MAX_LAT_E6 || lat > MAX_LAT_E6 || lng < -MAX_LNG_E6 || lng > MAX_LNG_E6) {
      throw new BadFleetFrame('position off the globe')
    }
    if ((view.getUint8(at + 13) & STATE_MASK) >= STATE_COUNT) throw new BadFleetFrame('unknown state')
  }
  for (let at = HEADER_BYTES; at < end; at += BIKE_BYTES) {
    sink.bike(
      view.getUint32(at, true),
      view.getInt32(at + 4, true),
      view.getInt32(at + 8, true),
      view.getUint8(at + 12),
      view.getUint8(at + 13),
      view.getUint8(at + 14),
      view.getUint8(at + 15),
    )
  }
}

function readClusters(view: DataView, count: number, sink: FleetSink): void {
  const first = HEADER_BYTES + 8
  const end = first + count * CLUSTER_BYTES
  expectLength(view, end)
  const areaId = view.getBigInt64(HEADER_BYTES, true).toString()
  const clusters: Cluster[] = []
  for (let at = first; at < end; at += CLUSTER_BYTES) {
    const byState: number[] = []
    for (let state = 0; state < STATE_COUNT; state += 1) byState.push(view.getUint16(at + 12 + state * 2, true))
    clusters.push({
      x: view.getUint32(at, true),
      y: view.getUint32(at + 4, true),
      total: view.getUint16(at + 8, true),
      alarm: view.getUint16(at + 10, true),
      byState,
    })
  }
  sink.areaClusters(areaId, clusters)
}

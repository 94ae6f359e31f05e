/** Fleet buffers made by hand, byte for byte as `docs/push.md` describes them, for tests. */

export interface BikeRecord {
  slot: number
  lat?: number
  lng?: number
  soc?: number
  flags?: number
  speed?: number
  heading?: number
}

function header(view: DataView, kind: number, count: number, seq: number, timeMs: number): void {
  view.setUint8(0, 0xfb)
  view.setUint8(1, kind)
  view.setUint16(2, count, true)
  view.setUint32(4, seq, true)
  view.setBigInt64(8, BigInt(timeMs), true)
}

export function markBuffer(kind: 2 | 4, seq = 1, timeMs = 1_000): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(16))
  header(view, kind, 0, seq, timeMs)
  return view.buffer
}

export function bikeBuffer(kind: 1 | 3, bikes: readonly BikeRecord[], seq = 1, timeMs = 1_000): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(16 + bikes.length * 16))
  header(view, kind, bikes.length, seq, timeMs)
  for (const [index, bike] of bikes.entries()) {
    const at = 16 + index * 16
    view.setUint32(at, bike.slot, true)
    view.setInt32(at + 4, Math.round((bike.lat ?? 30.25) * 1e6), true)
    view.setInt32(at + 8, Math.round((bike.lng ?? 120.15) * 1e6), true)
    view.setUint8(at + 12, bike.soc ?? 80)
    view.setUint8(at + 13, bike.flags ?? 0)
    view.setUint8(at + 14, bike.speed ?? 0)
    view.setUint8(at + 15, bike.heading ?? 0)
  }
  return view.buffer
}

export interface ClusterRecord {
  x: number
  y: number
  total: number
  alarm?: number
  byState: readonly number[]
}

export function clusterBuffer(areaId: bigint, clusters: readonly ClusterRecord[], seq = 1): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(24 + clusters.length * 32))
  header(view, 5, clusters.length, seq, 1_000)
  view.setBigInt64(16, areaId, true)
  for (const [index, cluster] of clusters.entries()) {
    const at = 24 + index * 32
    view.setUint32(at, cluster.x, true)
    view.setUint32(at + 4, cluster.y, true)
    view.setUint16(at + 8, cluster.total, true)
    view.setUint16(at + 10, cluster.alarm ?? 0, true)
    for (const [state, count] of cluster.byState.entries()) view.setUint16(at + 12 + state * 2, count, true)
  }
  return view.buffer
}

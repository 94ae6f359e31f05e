import { ClusterStore } from './clusterStore'
import { readFleetFrame, type Cluster, type FleetHeader, type FleetSink } from './fleetFrame'
import { FleetStore } from './fleetStore'

/** A snapshot that does not end within this time is taken as whole. */
const SNAPSHOT_LIMIT_MS = 3_000

/**
 * Applies fleet buffers to the two stores and tells the map that there is something to draw. The
 * server sends either bikes (near) or cluster counts (far); a change of level begins with the start
 * of a snapshot, and what follows decides which of the stores is emptied.
 */
export class FleetFeed implements FleetSink {
  readonly bikes = new FleetStore()
  readonly clusters = new ClusterStore()
  /** Last tick seen, undefined before the first buffer, after a change of server, and where a snapshot never ended. */
  seq: number | undefined
  /** Zoom the server was told when it cut the cluster counts: their cells are tiles two levels below. */
  zoom: number | undefined
  private started = false
  private startedAt = 0
  private readonly listeners = new Set<() => void>()

  /** Applies one buffer received at `now` (epoch ms, local clock). @throws BadFleetFrame when it is damaged */
  accept(buffer: ArrayBuffer, now: number): FleetHeader {
    const header = readFleetFrame(buffer, this)
    if (this.started && this.startedAt === 0) this.startedAt = now
    this.seq = header.seq
    this.announce()
    return header
  }

  /** Ends a snapshot whose end never came. */
  settle(now: number): void {
    if (this.started && this.startedAt !== 0 && now - this.startedAt > SNAPSHOT_LIMIT_MS) {
      this.snapshotEnd()
      this.seq = undefined
      this.announce()
    }
  }

  /** The tick to go on from: one less than the last, whose buffers may not all have come; undefined amid a snapshot. */
  get since(): number | undefined {
    return this.started || this.seq === undefined ? undefined : Math.max(0, this.seq - 1)
  }

  /** Forgets everything: the map is gone, or another one begins. */
  clear(): void {
    this.started = false
    this.seq = undefined
    this.bikes.clear()
    this.clusters.clear()
    this.announce()
  }

  /** Calls `listener` after every applied buffer; the answer ends it. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  snapshotStart(): void {
    this.started = true
    this.startedAt = 0
    this.bikes.beginSnapshot()
  }

  snapshotEnd(): void {
    // Bikes follow the start of a snapshot or cluster counts do; the first cluster buffer has
    // already closed it in the second case.
    if (!this.started) return
    this.started = false
    this.bikes.endSnapshot()
    this.clusters.clear()
  }

  bike(slot: number, latE6: number, lngE6: number, soc: number, flags: number, speed: number, heading: number): void {
    this.bikes.put(slot, latE6, lngE6, soc, flags, speed, heading)
  }

  areaClusters(areaId: string, clusters: readonly Cluster[]): void {
    if (this.started) this.snapshotEnd()
    this.clusters.put(areaId, clusters)
  }

  private announce(): void {
    for (const listener of this.listeners) listener()
  }
}

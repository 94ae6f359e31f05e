import { STATE_COUNT, type Cluster } from './fleetFrame'

/** Areas and cells a browser will hold; more is damage. */
const MAX_AREAS = 4096

/** The sum over all areas of one map cell. */
export interface Cell {
  /** Tile address at level `watched zoom + 2`. */
  readonly x: number
  readonly y: number
  total: number
  alarm: number
  /** By state, in the order of `docs/push.md`. */
  readonly byState: number[]
}

/** Cluster counts as the server sends them: whole areas, replaced one by one, added up here. */
export class ClusterStore {
  /** Counts up with every change. */
  version = 0
  private readonly areas = new Map<string, readonly Cluster[]>()
  private summed: readonly Cell[] = []
  private summedVersion = -1

  /** Replaces what is known of one area. An area without cells is forgotten. */
  put(areaId: string, clusters: readonly Cluster[]): void {
    this.version += 1
    if (clusters.length === 0) this.areas.delete(areaId)
    else if (this.areas.has(areaId) || this.areas.size < MAX_AREAS) this.areas.set(areaId, clusters)
  }

  /** Forgets everything. */
  clear(): void {
    if (this.areas.size === 0) return
    this.areas.clear()
    this.version += 1
  }

  /** Areas held. */
  get areaCount(): number {
    return this.areas.size
  }

  /** The cells of all areas, added up; the same array until something changes. */
  cells(): readonly Cell[] {
    if (this.summedVersion === this.version) return this.summed
    const byAddress = new Map<number, Cell>()
    for (const clusters of this.areas.values()) {
      for (const cluster of clusters) add(byAddress, cluster)
    }
    this.summed = [...byAddress.values()]
    this.summedVersion = this.version
    return this.summed
  }
}

function add(cells: Map<number, Cell>, cluster: Cluster): void {
  // Levels end at 13 (zoom 11 + 2), so an address fits a double with room to spare.
  const address = cluster.x * 2 ** 26 + cluster.y
  let cell = cells.get(address)
  if (cell === undefined) {
    cell = { x: cluster.x, y: cluster.y, total: 0, alarm: 0, byState: Array.from({ length: STATE_COUNT }, () => 0) }
    cells.set(address, cell)
  }
  cell.total += cluster.total
  cell.alarm += cluster.alarm
  for (let state = 0; state < STATE_COUNT; state += 1) cell.byState[state] = (cell.byState[state] ?? 0) + (cluster.byState[state] ?? 0)
}

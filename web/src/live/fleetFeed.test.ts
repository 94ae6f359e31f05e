import { describe, expect, it } from 'vitest'

import { worldX, worldY } from './projection'

import { FleetFeed } from './fleetFeed'
import { BadFleetFrame, Bit } from './fleetFrame'
import { bikeBuffer, clusterBuffer, markBuffer } from './frames.fixture'

function slots(feed: FleetFeed): number[] {
  return Array.from({ length: feed.bikes.high }, (_, slot) => slot).filter((slot) => feed.bikes.present[slot] !== 0)
}

describe('changes of a cell', () => {
  it('put a bike where the record says, in world pixels', () => {
    const feed = new FleetFeed()
    const header = feed.accept(
      bikeBuffer(1, [{ slot: 7, lat: 30.123456, lng: 120.654321, soc: 55, flags: 1 | Bit.moving, speed: 18, heading: 45 }], 812, 99_000),
      0,
    )
    expect(header).toMatchObject({ kind: 1, count: 1, seq: 812, timeMs: 99_000 })
    expect(feed.seq).toBe(812)
    expect(feed.bikes.x[7]).toBeCloseTo(worldX(120.654321), 9)
    expect(feed.bikes.y[7]).toBeCloseTo(worldY(30.123456), 9)
    expect([feed.bikes.soc[7], feed.bikes.flags[7], feed.bikes.speed[7], feed.bikes.heading[7]]).toEqual([55, 0x81, 18, 45])
  })

  it('read positions west of Greenwich and south of the equator', () => {
    const feed = new FleetFeed()
    feed.accept(bikeBuffer(1, [{ slot: 0, lat: -33.5, lng: -70.25 }]), 0)
    expect(feed.bikes.x[0]).toBeCloseTo(worldX(-70.25), 9)
    expect(feed.bikes.y[0]).toBeCloseTo(worldY(-33.5), 9)
  })

  it('forget the slot when the gone bit is set', () => {
    const feed = new FleetFeed()
    feed.accept(bikeBuffer(1, [{ slot: 3 }, { slot: 4 }]), 0)
    feed.accept(bikeBuffer(1, [{ slot: 3, flags: Bit.gone }, { slot: 900, flags: Bit.gone }]), 0)
    expect(slots(feed)).toEqual([4])
    expect(feed.bikes.count).toBe(1)
  })

  it('count a move only when the place differs', () => {
    const feed = new FleetFeed()
    feed.accept(bikeBuffer(1, [{ slot: 1 }]), 0)
    feed.accept(bikeBuffer(1, [{ slot: 1, soc: 10 }]), 0)
    expect(feed.bikes.moved).toBe(0)
    feed.accept(bikeBuffer(1, [{ slot: 1, lat: 30.2501 }]), 0)
    expect(feed.bikes.moved).toBe(1)
  })

  it('make the store double and keep what it held', () => {
    const feed = new FleetFeed()
    feed.accept(bikeBuffer(1, [{ slot: 5, soc: 42 }]), 0)
    const before = feed.bikes.capacity
    feed.accept(bikeBuffer(1, [{ slot: before * 2 + 1, soc: 43 }]), 0)
    expect(feed.bikes.capacity).toBe(before * 4)
    expect([feed.bikes.soc[5], feed.bikes.soc[before * 2 + 1]]).toEqual([42, 43])
    expect(feed.bikes.count).toBe(2)
  })
})

describe('a snapshot', () => {
  it('keeps the old bikes until it ends and then forgets those that were not in it', () => {
    const feed = new FleetFeed()
    feed.accept(bikeBuffer(1, [{ slot: 1 }, { slot: 2 }, { slot: 9 }]), 0)
    feed.accept(markBuffer(2), 0)
    feed.accept(bikeBuffer(3, [{ slot: 2 }, { slot: 4 }]), 0)
    expect(slots(feed)).toEqual([1, 2, 4, 9])
    feed.accept(markBuffer(4), 0)
    expect(slots(feed)).toEqual([2, 4])
    expect(feed.bikes.count).toBe(2)
    expect(feed.bikes.high).toBe(5)
  })

  it('that is empty empties the map', () => {
    const feed = new FleetFeed()
    feed.accept(bikeBuffer(1, [{ slot: 1 }]), 0)
    feed.accept(markBuffer(2), 0)
    feed.accept(markBuffer(4), 0)
    expect(feed.bikes.count).toBe(0)
  })

  it('works any number of times in a row', () => {
    const feed = new FleetFeed()
    for (let round = 0; round < 5; round += 1) {
      feed.accept(markBuffer(2), 0)
      feed.accept(bikeBuffer(3, [{ slot: round }, { slot: round + 1 }]), 0)
      feed.accept(markBuffer(4), 0)
      expect(slots(feed)).toEqual([round, round + 1])
    }
  })

  it('begun again before it ended still leaves only the last one', () => {
    const feed = new FleetFeed()
    feed.accept(bikeBuffer(1, [{ slot: 1 }]), 0)
    feed.accept(markBuffer(2), 0)
    feed.accept(bikeBuffer(3, [{ slot: 2 }]), 0)
    feed.accept(markBuffer(2), 0)
    feed.accept(bikeBuffer(3, [{ slot: 3 }]), 0)
    feed.accept(markBuffer(4), 0)
    expect(slots(feed)).toEqual([3])
  })

  it('whose end never comes is taken as whole after three seconds', () => {
    const feed = new FleetFeed()
    feed.accept(bikeBuffer(1, [{ slot: 1 }]), 0)
    feed.accept(markBuffer(2), 10_000)
    feed.settle(12_900)
    expect(slots(feed)).toEqual([1])
    feed.settle(13_100)
    expect(slots(feed)).toEqual([])
    expect(feed.since).toBeUndefined()
  })

  it('is no tick to go on from before it has ended; then it is the one before the last', () => {
    const feed = new FleetFeed()
    feed.accept(markBuffer(2, 812), 0)
    feed.accept(bikeBuffer(3, [{ slot: 1 }], 812), 0)
    expect(feed.since).toBeUndefined()
    feed.accept(markBuffer(4, 812), 0)
    expect(feed.since).toBe(811)
    feed.accept(bikeBuffer(1, [{ slot: 1 }], 813), 0)
    expect(feed.since).toBe(812)
  })
})

describe('cluster counts', () => {
  const some = { x: 13_700, y: 6_700, total: 5, alarm: 1, byState: [3, 2, 0, 0, 0, 0, 0, 0] }

  it('are added up over the areas', () => {
    const feed = new FleetFeed()
    feed.accept(clusterBuffer(1n, [some]), 0)
    feed.accept(clusterBuffer(2n, [{ ...some, total: 7, byState: [0, 7, 0, 0, 0, 0, 0, 0] }]), 0)
    expect(feed.clusters.cells()).toEqual([{ x: 13_700, y: 6_700, total: 12, alarm: 2, byState: [3, 9, 0, 0, 0, 0, 0, 0] }])
  })

  it('replace the older ones of the same area and leave the other areas alone', () => {
    const feed = new FleetFeed()
    feed.accept(clusterBuffer(-5n, [some, { ...some, x: 1 }]), 0)
    feed.accept(clusterBuffer(2n, [{ ...some, y: 9 }]), 0)
    feed.accept(clusterBuffer(-5n, [{ ...some, x: 2 }]), 0)
    expect(feed.clusters.cells().map((cell) => [cell.x, cell.y])).toEqual([[2, 6_700], [13_700, 9]])
  })

  it('of an area that emptied vanish', () => {
    const feed = new FleetFeed()
    feed.accept(clusterBuffer(1n, [some]), 0)
    feed.accept(clusterBuffer(1n, []), 0)
    expect(feed.clusters.cells()).toEqual([])
    expect(feed.clusters.areaCount).toBe(0)
  })

  it('of a new level replace the bikes and the counts of the level before', () => {
    const feed = new FleetFeed()
    feed.accept(bikeBuffer(1, [{ slot: 1 }]), 0)
    feed.accept(markBuffer(2), 0)
    feed.accept(clusterBuffer(1n, [some]), 0)
    feed.accept(clusterBuffer(2n, [{ ...some, x: 3 }]), 0)
    expect(feed.bikes.count).toBe(0)
    expect(feed.clusters.cells()).toHaveLength(2)
    feed.accept(markBuffer(2), 0)
    feed.accept(clusterBuffer(1n, [{ ...some, x: 4 }]), 0)
    expect(feed.clusters.cells().map((cell) => cell.x)).toEqual([4])
  })

  it('give way to bikes when a snapshot of bikes ends', () => {
    const feed = new FleetFeed()
    feed.accept(clusterBuffer(1n, [some]), 0)
    feed.accept(markBuffer(2), 0)
    feed.accept(bikeBuffer(3, [{ slot: 1 }]), 0)
    feed.accept(markBuffer(4), 0)
    expect(feed.clusters.cells()).toEqual([])
    expect(feed.bikes.count).toBe(1)
  })

  it('stay when the end of the snapshot follows them', () => {
    const feed = new FleetFeed()
    feed.accept(markBuffer(2), 0)
    feed.accept(clusterBuffer(1n, [some]), 0)
    feed.accept(markBuffer(4), 0)
    expect(feed.clusters.cells()).toHaveLength(1)
  })
})

describe('a damaged buffer', () => {
  const good = bikeBuffer(1, [{ slot: 1 }, { slot: 2 }])
  const altered = (change: (view: DataView) => void): ArrayBuffer => {
    const copy = good.slice(0)
    change(new DataView(copy))
    return copy
  }
  const long = new Uint8Array(good.byteLength + 1)
  long.set(new Uint8Array(good))
  const cases: [string, ArrayBuffer][] = [
    ['that is empty', new ArrayBuffer(0)],
    ['with a header cut short', good.slice(0, 15)],
    ['with a record cut short', good.slice(0, 47)],
    ['with bytes after the last record', long.buffer],
    ['with another mark', altered((view) => view.setUint8(0, 0xfa))],
    ['of an unknown kind', altered((view) => view.setUint8(1, 9))],
    ['with a slot no fleet has', altered((view) => view.setUint32(32, 0xffff_ffff, true))],
    ['with a position off the globe', altered((view) => view.setInt32(36, 91_000_000, true))],
    ['with an unknown state', altered((view) => view.setUint8(45, 0x0c))],
    ['with a negative time', altered((view) => view.setBigInt64(8, -1n, true))],
    ['of cluster counts cut short', clusterBuffer(1n, [{ x: 1, y: 1, total: 1, byState: [1] }]).slice(0, 55)],
    ['of cluster counts without an area', markBuffer(2).slice(0)],
  ]
  new DataView(cases[11]![1]).setUint8(1, 5)

  it.each(cases)('%s is refused and changes nothing', (_, buffer) => {
    const feed = new FleetFeed()
    feed.accept(bikeBuffer(1, [{ slot: 30 }], 5), 0)
    const version = feed.bikes.version
    expect(() => feed.accept(buffer, 0)).toThrow(BadFleetFrame)
    expect(slots(feed)).toEqual([30])
    expect([feed.bikes.version, feed.seq]).toEqual([version, 5])
  })
})

import { worldX, worldY } from './projection'

import { Bit } from './fleetFrame'

const FIRST_CAPACITY = 4096

/**
 * Every bike of the watched viewport, as parallel typed arrays indexed by the server's slot. The
 * map reads the arrays directly; nothing is allocated while changes are applied, except when a
 * new slot makes the arrays double.
 *
 * A snapshot replaces the contents without a gap: its bikes are stamped with a new generation, and
 * what still bears an old one is swept when the snapshot ends.
 */
export class FleetStore {
  /** World pixels at zoom 0. */
  x: Float64Array<ArrayBuffer> = new Float64Array(FIRST_CAPACITY)
  y: Float64Array<ArrayBuffer> = new Float64Array(FIRST_CAPACITY)
  /** Charge in percent. */
  soc: Uint8Array<ArrayBuffer> = new Uint8Array(FIRST_CAPACITY)
  /** The state byte as sent, without the gone bit. */
  flags: Uint8Array<ArrayBuffer> = new Uint8Array(FIRST_CAPACITY)
  /** km/h. */
  speed: Uint8Array<ArrayBuffer> = new Uint8Array(FIRST_CAPACITY)
  /** Degrees / 2. */
  heading: Uint8Array<ArrayBuffer> = new Uint8Array(FIRST_CAPACITY)
  /** 0 for a slot without a bike, else the generation that last wrote it. */
  present: Uint8Array<ArrayBuffer> = new Uint8Array(FIRST_CAPACITY)
  /** One more than the highest slot ever used: how far a reader has to look. */
  high = 0
  /** Bikes held. */
  count = 0
  /** Counts up with every change; a reader that saw this number has nothing new to draw. */
  version = 0
  /** Records that put a known bike somewhere else, since the page began. */
  moved = 0

  private generation = 1
  private sweeping = false

  /** Slots the arrays have room for. */
  get capacity(): number {
    return this.present.length
  }

  /** Whether a snapshot has begun and not ended. */
  get inSnapshot(): boolean {
    return this.sweeping
  }

  /** Writes one record, or forgets the slot when it carries the gone bit. */
  put(slot: number, latE6: number, lngE6: number, soc: number, flags: number, speed: number, heading: number): void {
    this.version += 1
    if ((flags & Bit.gone) !== 0) {
      this.forget(slot)
      return
    }
    if (slot >= this.capacity) this.grow(slot + 1)
    const x = worldX(lngE6 / 1e6)
    const y = worldY(latE6 / 1e6)
    if (this.present[slot] === 0) this.count += 1
    else if (this.x[slot] !== x || this.y[slot] !== y) this.moved += 1
    this.x[slot] = x
    this.y[slot] = y
    this.soc[slot] = soc
    this.flags[slot] = flags
    this.speed[slot] = speed
    this.heading[slot] = heading
    this.present[slot] = this.generation
    if (slot >= this.high) this.high = slot + 1
  }

  /** A snapshot begins; the bikes known so far stay until it ends. */
  beginSnapshot(): void {
    if (this.sweeping) this.endSnapshot()
    // Two generations are enough: an ended snapshot leaves only the current one behind.
    this.generation = this.generation === 1 ? 2 : 1
    this.sweeping = true
  }

  /** The snapshot is whole: bikes that were not in it are forgotten. */
  endSnapshot(): void {
    if (!this.sweeping) return
    this.sweeping = false
    let high = 0
    for (let slot = 0; slot < this.high; slot += 1) {
      const mark = this.present[slot]
      if (mark === 0) continue
      if (mark === this.generation) high = slot + 1
      else {
        this.present[slot] = 0
        this.count -= 1
      }
    }
    this.high = high
    this.version += 1
  }

  /** Forgets everything. */
  clear(): void {
    this.present.fill(0)
    this.count = 0
    this.high = 0
    this.sweeping = false
    this.version += 1
  }

  private forget(slot: number): void {
    if (slot < this.high && this.present[slot] !== 0) {
      this.present[slot] = 0
      this.count -= 1
    }
  }

  private grow(needed: number): void {
    let capacity = this.capacity
    while (capacity < needed) capacity *= 2
    this.x = widened(this.x, new Float64Array(capacity))
    this.y = widened(this.y, new Float64Array(capacity))
    this.soc = widened(this.soc, new Uint8Array(capacity))
    this.flags = widened(this.flags, new Uint8Array(capacity))
    this.speed = widened(this.speed, new Uint8Array(capacity))
    this.heading = widened(this.heading, new Uint8Array(capacity))
    this.present = widened(this.present, new Uint8Array(capacity))
  }
}

function widened<T extends Float64Array | Uint8Array>(from: T, to: T): T {
  to.set(from)
  return to
}

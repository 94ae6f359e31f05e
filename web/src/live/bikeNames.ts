/** Questions sent at once, and how often: the server allows 50 frames a second, and clicks must get through too. */
const AT_ONCE = 12
export const PAUSE_MS = 500

/**
 * Numbers of the bikes in slots, asked for as they are wanted and kept as long as slots keep their meaning. What is
 * wanted later is asked first: that is what is on the screen now.
 */
export class BikeNames {
  private readonly known = new Map<number, string>()
  private readonly wanted = new Set<number>()
  private readonly listeners = new Set<() => void>()
  private pausing = false
  /** Counts up with every change. */
  version = 0

  constructor(
    private readonly ask: (slot: number) => Promise<string | null>,
    private readonly after: (ms: number, run: () => void) => void,
  ) {}

  /** The number in `slot`; undefined while it is not known, and asked for then. */
  of(slot: number): string | undefined {
    const name = this.known.get(slot)
    if (name === undefined) this.want(slot)
    return name
  }

  /** The slot of a bike whose number is known, or -1. */
  slotOf(carId: string): number {
    for (const [slot, name] of this.known) if (name === carId) return slot
    return -1
  }

  /** What was learnt otherwise. */
  learn(slot: number, carId: string): void {
    if (this.known.get(slot) === carId) return
    this.known.set(slot, carId)
    this.announce()
  }

  /** Slots have another meaning from here on. */
  clear(): void {
    this.known.clear()
    this.wanted.clear()
    this.announce()
  }

  /** Calls `listener` when a number became known; the answer ends it. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  private want(slot: number): void {
    this.wanted.delete(slot)
    this.wanted.add(slot)
    if (this.pausing) return
    this.pausing = true
    // Not within the drawing that asks.
    this.after(0, () => this.askSome())
  }

  private askSome(): void {
    const next = [...this.wanted].slice(-AT_ONCE)
    for (const slot of next) {
      this.wanted.delete(slot)
      void this.ask(slot).then((name) => {
        if (name !== null) this.learn(slot, name)
      })
    }
    this.after(PAUSE_MS, () => {
      this.pausing = false
      if (this.wanted.size === 0) return
      this.pausing = true
      this.askSome()
    })
  }

  private announce(): void {
    this.version += 1
    for (const listener of this.listeners) listener()
  }
}

const KEPT = 16

/**
 * The server's clock, learnt from answers to pings: the one with the shortest round trip of the last
 * few is the most exact, and half of its way is taken off. Frames without a round trip only help
 * while there is nothing better.
 */
export class ClockOffset {
  private readonly samples: { readonly offsetMs: number; readonly tripMs: number }[] = []
  private rough: number | undefined

  /** A frame of server time `serverMs` arrived at local time `localMs`. */
  arrived(serverMs: number, localMs: number): void {
    if (this.rough === undefined && serverMs > 0) this.rough = serverMs - localMs
  }

  /** A ping sent at `sentMs` was answered with `serverMs` and came back at `backMs` (local times). */
  answered(serverMs: number, sentMs: number, backMs: number): void {
    const tripMs = backMs - sentMs
    if (tripMs < 0 || serverMs <= 0) return
    this.samples.push({ offsetMs: serverMs - (sentMs + tripMs / 2), tripMs })
    if (this.samples.length > KEPT) this.samples.shift()
  }

  /** Server time minus local time, ms. */
  get offsetMs(): number {
    let best: { readonly offsetMs: number; readonly tripMs: number } | undefined
    for (const sample of this.samples) if (best === undefined || sample.tripMs <= best.tripMs) best = sample
    return best?.offsetMs ?? this.rough ?? 0
  }

  /** Forgets what was learnt; another server may have another clock. */
  reset(): void {
    this.samples.length = 0
    this.rough = undefined
  }
}

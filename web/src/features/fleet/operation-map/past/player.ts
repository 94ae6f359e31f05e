import { api, failureText, Refusal } from '@/api/client'
import { FleetFeed } from '@/live/fleetFeed'
import type { FleetTotals } from '@/live/totals'
import { buffersOf, nextKnown, PAST_PATH, type Span, type Speed, totalsOf } from './past'

/** Between two pictures while it plays. */
const STEP_MS = 500

export interface PlayerState {
  /** The moment that is looked at, epoch ms. */
  readonly at: number
  readonly playing: boolean
  readonly speed: Speed
  /** Whether a moment was asked for and is not there yet. */
  readonly loading: boolean
  /** Why there is no fleet to be seen, '' where there is one. */
  readonly trouble: string
  /** What the fleet of the moment comes to; null while it is not known. */
  readonly totals: FleetTotals | null
}

type Fetch = (at: number, since: number | null, signal: AbortSignal) => Promise<ArrayBuffer>

const fetchMoment: Fetch = async (at, since, signal) => {
  const response = await api.download(PAST_PATH, since === null ? { at } : { at, since }, { signal, quiet: true })
  return response.arrayBuffer()
}

/**
 * Plays the fleet of past moments into a feed of its own, which the map draws like the live one. One request is under way at
 * a time; while it plays, only what changed since the last picture is asked for.
 */
export class PastPlayer {
  readonly feed = new FleetFeed()
  private state: PlayerState
  private known: readonly Span[] = []
  private until = Number.POSITIVE_INFINITY
  /** The moment of the picture in the feed; null where there is none. */
  private shown: number | null = null
  private wanted: number | null = null
  private busy: AbortController | null = null
  private timer: ReturnType<typeof setInterval> | null = null
  private readonly listeners = new Set<() => void>()

  constructor(
    at: number,
    private readonly fetch: Fetch = fetchMoment,
  ) {
    this.state = { at, playing: false, speed: 60, loading: false, trouble: '', totals: null }
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  snapshot = (): PlayerState => this.state

  /** Which times are known, and the server's present. */
  setKnown(known: readonly Span[], until: number): void {
    this.known = known
    this.until = until
  }

  /** Looks at a moment. */
  seek(at: number): void {
    this.set({ at: Math.min(at, this.until) })
    this.wanted = this.state.at
    void this.load()
  }

  setSpeed(speed: Speed): void {
    this.set({ speed })
  }

  play(): void {
    if (this.timer !== null) return
    this.set({ playing: true })
    this.timer = setInterval(() => this.step(), STEP_MS)
  }

  pause(): void {
    if (this.timer !== null) clearInterval(this.timer)
    this.timer = null
    this.set({ playing: false })
  }

  /** Nothing is asked for and nothing plays any more. */
  end(): void {
    this.pause()
    this.wanted = null
    this.busy?.abort()
  }

  private step(): void {
    // A slow line makes fewer pictures, not a queue of them.
    if (this.busy !== null) return
    const next = nextKnown(this.known, this.state.at + STEP_MS * this.state.speed)
    if (next === null || next >= this.until) {
      this.seek(this.until)
      this.pause()
    } else this.seek(next)
  }

  private async load(): Promise<void> {
    if (this.busy !== null) return
    const busy = new AbortController()
    this.busy = busy
    this.set({ loading: true })
    while (this.wanted !== null && !busy.signal.aborted) {
      const at = this.wanted
      this.wanted = null
      // oxlint-disable-next-line no-await-in-loop -- one picture after the other
      await this.show(at, busy.signal)
    }
    this.busy = null
    this.set({ loading: false })
  }

  private async show(at: number, signal: AbortSignal): Promise<void> {
    const since = this.shown !== null && this.shown < at ? this.shown : null
    try {
      const answer = await this.fetch(at, since, signal)
      if (signal.aborted) return
      for (const buffer of buffersOf(answer)) this.feed.accept(buffer, at)
      this.shown = at
      this.set({ trouble: '', totals: totalsOf(this.feed.bikes) })
    } catch (error) {
      if (signal.aborted) return
      this.shown = null
      this.feed.clear()
      this.set({ trouble: failureText(error, '没有取到这个时刻的车辆，请重试'), totals: null })
      if (!(error instanceof Refusal)) this.pause()
    }
  }

  private set(change: Partial<PlayerState>): void {
    this.state = { ...this.state, ...change }
    for (const listener of this.listeners) listener()
  }
}

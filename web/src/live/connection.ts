import { create } from 'zustand'

/** How fresh what is on the screen is. */
export type ConnectionState =
  /** No data yet, the first connection is being made. */
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** Connected, but the newest data is `seconds` old. */
  | { readonly kind: 'delayed'; readonly seconds: number }
  /** Not connected, the newest data is `seconds` old; `reason` is for the user where the server gave one. */
  | { readonly kind: 'offline'; readonly seconds: number; readonly reason: string }

const DELAYED_FROM_MS = 6_000
/** Data older than this is shown as what was, not what is. */
export const STALE_FROM_S = 10

/** What the connection state follows from. */
export interface Freshness {
  readonly connected: boolean
  /** Local time at which it was lost, or the page began. */
  readonly lostAt: number
  /** Server time of the newest frame, 0 before the first. */
  readonly newestMs: number
  readonly reason: string
}

/** The state at local time `now`, the server's clock being `offsetMs` ahead. */
export function connectionState(fresh: Freshness, now: number, offsetMs: number): ConnectionState {
  const ageMs = now + offsetMs - fresh.newestMs
  if (!fresh.connected) {
    if (fresh.newestMs === 0 && fresh.reason === '' && now - fresh.lostAt < DELAYED_FROM_MS) return { kind: 'connecting' }
    // The age of the data counts, not that of the loss: a dead network is noticed late.
    const awayMs = fresh.newestMs === 0 ? now - fresh.lostAt : ageMs
    return { kind: 'offline', seconds: Math.max(0, Math.floor(awayMs / 1000)), reason: fresh.reason }
  }
  if (fresh.newestMs === 0) return { kind: 'connecting' }
  return ageMs < DELAYED_FROM_MS ? { kind: 'live' } : { kind: 'delayed', seconds: Math.floor(ageMs / 1000) }
}

/** Whether what is on the screen must no longer pass for the present. */
export function isStale(state: ConnectionState): boolean {
  return (state.kind === 'delayed' || state.kind === 'offline') && state.seconds >= STALE_FROM_S
}

interface ConnectionStore {
  readonly state: ConnectionState
  readonly offsetMs: number
  set(state: ConnectionState, offsetMs: number): void
}

/** Written at most once a second by the live connection, read by badges. */
export const useConnectionStore = create<ConnectionStore>((set) => ({
  state: { kind: 'connecting' },
  offsetMs: 0,
  set: (state, offsetMs) => {
    set((before) => (sameState(before.state, state) && before.offsetMs === offsetMs ? before : { state, offsetMs }))
  },
}))

function sameState(a: ConnectionState, b: ConnectionState): boolean {
  if (a.kind !== b.kind) return false
  if (a.kind === 'offline' && b.kind === 'offline') return a.seconds === b.seconds && a.reason === b.reason
  return a.kind !== 'delayed' || b.kind !== 'delayed' || a.seconds === b.seconds
}

import { create } from 'zustand'

import { STATE_COUNT } from './fleetFrame'

/** Counts over everything the user's scope holds, not only the viewport. */
export interface FleetTotals {
  /** By state, in the order of `docs/push.md`. */
  readonly states: readonly number[]
  readonly shelved: number
  readonly rentable: number
  readonly online: number
  readonly alarm: number
  /** How many the pick lets through, where there is one. */
  readonly picked?: number
}

interface TotalsStore {
  /** Null until the first arrive. */
  readonly totals: FleetTotals | null
  set(totals: FleetTotals | null): void
}

/** Written at most twice a second by the live connection. */
export const useTotalsStore = create<TotalsStore>((set) => ({ totals: null, set: (totals) => set({ totals }) }))

/** The totals in a frame's data, or null when it does not hold them. */
export function readTotals(data: unknown): FleetTotals | null {
  if (typeof data !== 'object' || data === null) return null
  const raw = data as Record<string, unknown>
  if (!Array.isArray(raw.states) || raw.states.length < STATE_COUNT) return null
  return {
    states: raw.states.map(countOf),
    shelved: countOf(raw.shelved),
    rentable: countOf(raw.rentable),
    online: countOf(raw.online),
    alarm: countOf(raw.alarm),
    ...(raw.picked === undefined ? {} : { picked: countOf(raw.picked) }),
  }
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.trunc(value) : 0
}

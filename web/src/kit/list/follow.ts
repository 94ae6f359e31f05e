/**
 * What a list is told of changes, and what follows: what is in sight is asked for again, at most once a second; what is
 * not is counted, for nothing may move under one's eyes. Pure; all times are ms of one clock that never goes back.
 */

/** Least time from one refetch to the next, ms. */
export const REFETCH_PAUSE_MS = 1000
/** Of more rows than this the oldest changes are forgotten: nobody is told a number as large. */
export const MOST_CHANGES = 1000
/** Stands for all rows: anything may have changed. */
const ANYTHING = ''

/** What is on the page now. */
export interface Shown {
  /** Rows in sight; `all` where a change of any row shows. */
  keys: ReadonlySet<string> | 'all'
  /** When the answer was asked for: it holds every change that had been told by then. */
  askedAt_ms: number
  /** The log position that the answer had to include (`X-Seen`): what this browser did itself and knows of. */
  seen: number
}

interface Change {
  toldAt_ms: number
  /** Log position that the read model had reached. */
  seq: number
}

export interface Following {
  /** By row: the newest change that was told. */
  changes: ReadonlyMap<string, Change>
  /** When a change last had the list asked for again. */
  refetchedAt_ms: number
}

export const nothingTold: Following = { changes: new Map(), refetchedAt_ms: Number.NEGATIVE_INFINITY }

export type FollowEvent =
  /** Rows changed; no keys: anything may have. */
  | { kind: 'told'; keys: readonly string[]; seq: number; at_ms: number }
  | { kind: 'refetched'; at_ms: number }
  /** An answer is shown. */
  | { kind: 'shown'; shown: Shown }

export function follow(state: Following, event: FollowEvent): Following {
  switch (event.kind) {
    case 'told': {
      const changes = new Map(state.changes)
      for (const key of event.keys.length === 0 ? [ANYTHING] : event.keys) {
        // Anew at the end: the oldest come first.
        changes.delete(key)
        changes.set(key, { toldAt_ms: event.at_ms, seq: event.seq })
      }
      return { ...state, changes: new Map([...changes].slice(-MOST_CHANGES)) }
    }
    case 'refetched':
      return { ...state, refetchedAt_ms: event.at_ms }
    case 'shown': {
      const changes = new Map([...state.changes].filter(([, change]) => !isIn(event.shown, change)))
      return { ...state, changes }
    }
  }
}

const isIn = (shown: Shown, change: Change) => change.toldAt_ms <= shown.askedAt_ms

/** Keys of the changes that `shown` brought. */
export function brought(state: Following, shown: Shown): string[] {
  return [...state.changes].filter(([key, change]) => key !== ANYTHING && isIn(shown, change)).map(([key]) => key)
}

/** Whether a change shows by itself. Where there are no rows nothing can move; what one did oneself is no news. */
function isInSight({ keys, seen }: Shown, key: string, change: Change): boolean {
  if (key === ANYTHING || keys === 'all' || keys.size === 0) return true
  return keys.has(key) || (change.seq > 0 && change.seq <= seen)
}

export interface Verdict {
  /** When to ask again; null: not now. A change that was asked for in vain waits for the next one, or for a click. */
  refetchAt_ms: number | null
  /** How many rows out of sight changed since the list was asked for. */
  updates: number
}

export function judge(state: Following, shown: Shown): Verdict {
  const open = [...state.changes].filter(([, change]) => !isIn(shown, change))
  const inSight = open.filter(([key, change]) => isInSight(shown, key, change))
  const due = inSight.some(([, change]) => change.toldAt_ms > state.refetchedAt_ms)
  return {
    refetchAt_ms: due ? state.refetchedAt_ms + REFETCH_PAUSE_MS : null,
    updates: open.length - inSight.length,
  }
}

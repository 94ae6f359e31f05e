import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useReducer, useRef, useState } from 'react'
import { olderThan } from '@/api/askedAt'
import { useReadTopic } from '@/live/hooks'
import { brought, follow, judge, nothingTold, type Shown } from './follow'

/** How long a changed row stays marked, ms. */
const MARKED_MS = 2400

export interface Followed {
  /** Keys of the rows that changed just now. */
  marked: ReadonlySet<string>
  /** How many rows changed that are not in sight; 0 while the list is asked for. */
  updates: number
  /** Brings them. */
  onUpdates(): void
}

/** Where all that is asked for shows: what came of the last refetch. */
const everything: Shown = { keys: 'all', askedAt_ms: Number.NEGATIVE_INFINITY, seen: 0 }

/**
 * Follows the changes of a read model. `shown` is what is on the page, null before the first answer; without it every
 * change shows. What is in sight is asked for again, of the rest it is told how much there is.
 */
export function useFollow(table: string | null, queryKey: readonly unknown[], shown?: Shown | null): Followed {
  const client = useQueryClient()
  const [state, tell] = useReducer(follow, nothingTold)
  const [refetched, setRefetched] = useState(everything)
  const [marked, mark] = useMarked()
  const fetching = useIsFetching({ queryKey }) > 0
  const sight = shown === undefined ? refetched : shown

  const ask = () => {
    const askedAt_ms = performance.now()
    tell({ kind: 'refetched', at_ms: askedAt_ms })
    void client.invalidateQueries({ queryKey }).then(() => setRefetched({ ...everything, askedAt_ms }))
  }
  const changed = (keys: readonly string[], seq: number) => {
    // Pages that were seen before are asked for when they are seen again.
    void client.invalidateQueries({ queryKey, refetchType: 'none' })
    // What failed is asked for once more when the watch begins anew: then there is a line again.
    if (keys.length === 0) void client.refetchQueries({ queryKey, type: 'active', predicate: ({ state: { status } }) => status === 'error' })
    tell({ kind: 'told', keys, seq, at_ms: performance.now() })
  }
  // What is on its way or shown was asked for while nobody told of changes: it may miss one.
  const begun = (quiet_ms: number) => {
    const predicate = olderThan(quiet_ms)
    if (client.getQueryCache().find({ queryKey, exact: false, type: 'active', predicate })) changed([], 0)
    else void client.invalidateQueries({ queryKey, refetchType: 'none', predicate })
  }
  useReadTopic(table, changed, begun)

  const { refetchAt_ms, updates } = sight === null ? { refetchAt_ms: null, updates: 0 } : judge(state, sight)
  // An answer on its way is waited for: asked for again and again it might never come.
  const dueAt_ms = fetching ? null : refetchAt_ms
  const refetch = useEffectEvent(ask)
  useEffect(() => {
    if (dueAt_ms === null) return undefined
    const timer = setTimeout(refetch, Math.max(0, dueAt_ms - performance.now()))
    return () => clearTimeout(timer)
  }, [dueAt_ms])

  const show = useEffectEvent((shown: Shown) => {
    mark(brought(state, shown))
    tell({ kind: 'shown', shown })
  })
  useEffect(() => {
    if (sight !== null) show(sight)
  }, [sight])
  return { marked, updates: fetching ? 0 : updates, onUpdates: ask }
}

/** Keys that are marked for a while, and how to mark some. */
function useMarked(): [ReadonlySet<string>, (keys: readonly string[]) => void] {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>())
  useEffect(() => {
    const pending = timers.current
    return () => pending.forEach(clearTimeout)
  }, [])
  const mark = (keys: readonly string[]) => {
    if (keys.length === 0) return
    setMarked((known) => new Set([...known, ...keys]))
    const timer = setTimeout(() => {
      timers.current.delete(timer)
      setMarked((known) => new Set([...known].filter((key) => !keys.includes(key))))
    }, MARKED_MS)
    timers.current.add(timer)
  }
  return [marked, mark]
}

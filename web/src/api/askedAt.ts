import type { Query, QueryCache } from '@tanstack/react-query'

/** When each query was asked for last, as `performance.now()` says it: its answer holds what had happened by then. */
const askedAt_ms = new WeakMap<Query, number>()

/** From now on it is known when the queries of the cache are asked for. */
export function noteAsking(cache: QueryCache): void {
  cache.subscribe((event) => {
    if (event.type === 'updated' && event.action.type === 'fetch') askedAt_ms.set(event.query, performance.now())
  })
}

/** Tells queries that may not hold what happened `quiet_ms` ago: those asked for before, at an unknown time, or in vain. */
export function olderThan(quiet_ms: number): (query: Query) => boolean {
  const happenedAt_ms = performance.now() - quiet_ms
  return (query) => query.state.status === 'error' || (askedAt_ms.get(query) ?? Number.NEGATIVE_INFINITY) <= happenedAt_ms
}

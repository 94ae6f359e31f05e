/** Where pages begin: behind the row that the page before ended with, so that rows that come or go meanwhile neither double nor hide others. */
import { useState } from 'react'

interface Answered {
  count: number
  capped?: boolean
  place?: string | null
}

/** Rows that pages lead to: those counted, and where counting stopped one page beyond this one as long as more follow. */
export function reachable({ count, capped, place }: Answered, page: number, pageSize: number): number {
  return capped ? Math.max(count, (page + (typeof place === 'string' ? 1 : 0)) * pageSize) : count
}

const NONE: ReadonlyMap<number, string> = new Map()

/** The places of pages that were looked at, by their numbers, to go back to; `asked` is what they are places of. */
export function usePlaces(asked: readonly unknown[], { page, after }: { page: number; after?: string }) {
  const of = JSON.stringify(asked)
  const [known, setKnown] = useState({ of, places: NONE })
  const places = known.of === of ? known.places : NONE
  const remember = (to: { page?: number; after?: string }) => {
    const all = new Map(places)
    if (after !== undefined) all.set(page, after)
    if (to.page !== undefined && to.after !== undefined) all.set(to.page, to.after)
    setKnown({ of, places: all })
  }
  return { places, remember }
}

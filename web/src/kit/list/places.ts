/** Where pages begin: behind the row that the page before ended with, so that rows that come or go meanwhile neither double nor hide others. */
import { useEffect, useState } from 'react'
import type { ListRows } from './description'

interface Answered {
  count: number
  capped?: boolean
  place?: string
}

/** Rows that pages lead to: those counted, and where counting stopped one page beyond this one as long as more follow. */
export function reachable({ count, capped, place }: Answered, page: number, pageSize: number): number {
  return capped ? Math.max(count, (page + (place === undefined ? 0 : 1)) * pageSize) : count
}

const NONE: ReadonlyMap<number, string> = new Map()

/** The places of pages as they become known, by their numbers; `asked` is what they are places of. */
export function usePlaces<Row>(asked: readonly unknown[], { page, after }: { page: number; after?: string }, data: ListRows<Row> | undefined): ReadonlyMap<number, string> {
  const of = JSON.stringify(asked)
  const [known, setKnown] = useState({ of, places: new Map<number, string>() })
  const next = data?.place
  useEffect(() => {
    setKnown((before) => {
      const places = before.of === of ? new Map(before.places) : new Map<number, string>()
      if (after !== undefined) places.set(page, after)
      if (next !== undefined) places.set(page + 1, next)
      return { of, places }
    })
  }, [of, page, after, next])
  return known.of === of ? known.places : NONE
}

import { api, type CallOptions } from '@/api/client'
import type { ListRoute } from '@/api/shapes'
import { seenPosition } from '@/api/storage'
import type { Work } from '../jobs/store'
import type { AnyList, Filters, ListRows } from './description'

/** Rows of one call when all are fetched. */
const AT_ONCE = 200
/** Longer lists are for a narrower filter. */
export const EXPORT_LIMIT = 10_000

type Asked<Row> = Pick<AnyList<Row>, 'path' | 'paging'>

/** Which page: by its number, or behind a place that the one before named. */
export interface Place {
  page: number
  pageSize: number
  after?: string
}

/** One page of the list, whichever host keeps it. */
export async function fetchPage<Row>({ path, paging }: Asked<Row>, filters: Filters, { page, pageSize, after }: Place, options?: CallOptions): Promise<ListRows<Row>> {
  const numbered = after === undefined ? { page, pageSize } : { pageSize, after }
  const place = paging === 'financial' ? { current: page, size: pageSize } : numbered
  const answer = await api.list<Row>(path as ListRoute<Row>, { ...filters, ...place }, options)
  return 'rows' in answer ? answer : { rows: answer.records, count: answer.total }
}

/** A page and how new it is: see `Shown`. */
export interface Answer<Row> extends ListRows<Row> {
  askedAt_ms: number
  seen: number
}

/** What `ask` brings, with what was known when it was asked for. */
export async function dated<Row>(ask: () => Promise<ListRows<Row>>): Promise<Answer<Row>> {
  const known = { askedAt_ms: performance.now(), seen: Number(seenPosition() ?? 0) }
  return { ...(await ask()), ...known }
}

/** All rows that the filters leave, up to the limit. */
export async function fetchAll<Row>(description: Asked<Row>, filters: Filters, { report, signal }: Work): Promise<Row[]> {
  const rows: Row[] = []
  for (let page = 1; rows.length < EXPORT_LIMIT; page += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one page after the other spares the server
    const next = await fetchPage<Row>(description, filters, { page, pageSize: AT_ONCE }, { signal, quiet: true })
    rows.push(...next.rows)
    report(rows.length, Math.max(Math.min(next.count, EXPORT_LIMIT), rows.length), '条')
    if (next.rows.length < AT_ONCE) break
  }
  return rows.slice(0, EXPORT_LIMIT)
}

import { api, type CallOptions } from '@/api/client'
import type { Filters, ListDescription, Page } from './description'

/** Rows of one call when all are fetched. */
const AT_ONCE = 200
/** Longer lists are for a narrower filter. */
export const EXPORT_LIMIT = 10_000

/** The answer of every list call of the financial host. */
interface Records<Row> {
  records: Row[]
  total: number
}

type Asked = Pick<ListDescription<never>, 'path' | 'paging'>

/** One page of the list, whichever host keeps it. */
export async function fetchPage<Row>({ path, paging }: Asked, filters: Filters, page: number, pageSize: number, options?: CallOptions): Promise<Page<Row>> {
  if (paging !== 'financial') return api.get<Page<Row>>(path, { ...filters, page, pageSize }, options)
  const { records, total } = await api.get<Records<Row>>(path, { ...filters, current: page, size: pageSize }, options)
  return { rows: records, count: total }
}

/** All rows that the filters leave, up to the limit. */
export async function fetchAll<Row>(description: Asked, filters: Filters): Promise<Row[]> {
  const rows: Row[] = []
  for (let page = 1; rows.length < EXPORT_LIMIT; page += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one page after the other spares the server
    const next = await fetchPage<Row>(description, filters, page, AT_ONCE)
    rows.push(...next.rows)
    if (next.rows.length < AT_ONCE) break
  }
  return rows.slice(0, EXPORT_LIMIT)
}

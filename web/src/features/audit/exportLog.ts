import { api, type Query } from '@/api/client'
import { uuid } from '@/api/bytes'
import { type LogPage, LOG_PATH, type LogRow, recordExport } from './log'

const ROWS_AT_ONCE = 1000
/** Longer files are for a shorter range. */
export const EXPORT_MAX = 50_000

/**
 * All rows that match, newest first, up to the limit. The server is told of the export before anything is handed
 * out: when it refuses, nothing is.
 */
export async function fetchExport(query: Query, onCount: (count: number) => void): Promise<LogRow[]> {
  const rows: LogRow[] = []
  let before: number | null | undefined
  do {
    // oxlint-disable-next-line no-await-in-loop -- each page begins where the last one ended
    const page: LogPage = await api.get<LogPage>(LOG_PATH, { ...query, exporting: 1, pageSize: ROWS_AT_ONCE, before })
    rows.push(...page.rows)
    onCount(rows.length)
    before = page.next
  } while (before !== null && rows.length < EXPORT_MAX)
  const file = rows.slice(0, EXPORT_MAX)
  await recordExport(query, file.length, { idempotencyKey: uuid() })
  return file
}

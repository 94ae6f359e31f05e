import type { Query } from '@/api/shapes'
import { exportByServer, startExport } from '@/kit/list/export'
import { LOG_PATH } from './log'

/** What the log's settings and its export are known by. */
export const LOG_ID = 'operator-log'

/** Begins to fetch the log as a file. The server makes it and has on record who took it before it answers. False when one is being made already. */
export function exportLog(title: string, query: Query, columns: readonly string[]): boolean {
  return startExport(LOG_ID, title, (work) => exportByServer(LOG_PATH, title, query, columns, work))
}

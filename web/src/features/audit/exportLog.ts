import type { Query } from '@/api/shapes'
import { exportByServer, type Exported } from '@/kit/list/export'
import { LOG_PATH } from './log'

/** The log as a file. The server makes it and has on record who took it before it answers. */
export function exportLog(title: string, query: Query, columns: readonly string[]): Promise<Exported> {
  return exportByServer(LOG_PATH, title, query, columns)
}

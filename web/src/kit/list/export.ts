import { api } from '@/api/client'
import type { Query } from '@/api/shapes'
import { formatTime } from '../format'
import type { Result } from '../jobs/jobs'
import { startJob, type Work } from '../jobs/store'
import type { AnyList, Column, Filters } from './description'
import { saveFile, toCsv } from './csv'
import { EXPORT_LIMIT, fetchAll } from './pages'
import { askedOf } from './times'

/** What became of an export. */
export interface Exported {
  /** How many rows the file has; null where the server's word does not reach the page. */
  rows: number | null
  /** There are more rows than the file has. */
  capped: boolean
}

/** The name that the server gave its file; null without one. */
export function fileName(disposition: string | null): string | null {
  const encoded = /filename\*=UTF-8''([^;]+)/.exec(disposition ?? '')?.[1]
  try {
    return encoded === undefined ? null : decodeURIComponent(encoded)
  } catch {
    return null
  }
}

const stamp = () => formatTime(Date.now()).replaceAll(/[-: ]/g, '')

/** A file that the server makes of a list, and has on record before it answers. */
export async function exportByServer(
  path: string,
  title: string,
  query: Query,
  columns: readonly string[],
  { report, signal }: Work,
): Promise<Exported> {
  const options = { signal, quiet: true }
  const response = await api.download(`${path}/export`, { ...query, columns: columns.join(',') }, options)
  const rows = response.headers.get('X-Rows')
  const file = await api.received(response, report, options)
  saveFile(fileName(response.headers.get('Content-Disposition')) ?? `${title}-${stamp()}.csv`, file)
  return { rows: rows === null ? null : Number(rows), capped: response.headers.get('X-Capped') === 'true' }
}

/** A file that the page makes of rows it has. The server is told first: when it refuses, nothing is disclosed. */
export async function disclose<Row>(
  what: string,
  title: string,
  filter: Query,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { signal }: Work,
): Promise<Exported> {
  await api.post('/platform/aliyunlog/access', { kind: 'export', what, filter, rows: rows.length }, { signal, quiet: true })
  saveFile(`${title}-${stamp()}.csv`, toCsv(columns, rows))
  return { rows: rows.length, capped: rows.length === EXPORT_LIMIT }
}

/** The list as a file, with these columns. */
export async function exportList<Row>(
  description: AnyList<Row>,
  filters: Filters,
  columns: readonly Column<Row>[],
  work: Work,
): Promise<Exported> {
  const { id, title, path } = description
  const query = askedOf(description, filters, Date.now())
  if (description.exported) return exportByServer(path, title, query, columns.map(({ key }) => key), work)
  return disclose(id, title, query, columns, await fetchAll(description, query, work), work)
}

/** What to tell whoever took it. */
export function exportNotice({ rows, capped }: Exported): Result {
  if (capped) return { kind: 'warning', text: `只导出了前 ${rows ?? ''} 条，请缩小筛选范围` }
  return { kind: 'success', text: rows === null ? '已导出' : `已导出 ${rows} 条` }
}

/** What the export of a list is known by. */
export function exportKey(id: string): string {
  return `export:${id}`
}

/** Makes the file of the list `id` as a job. False when one is being made already. */
export function startExport(id: string, title: string, make: (work: Work) => Promise<Exported>): boolean {
  return startJob({
    key: exportKey(id),
    title: `导出「${title}」`,
    otherwise: '导出失败',
    run: async (work) => exportNotice(await make(work)),
  })
}

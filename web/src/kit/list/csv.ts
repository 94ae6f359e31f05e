import { api } from '@/api/client'
import { type Column, type Filters, listQuery, type ListDescription, type Page } from './description'

const PAGE_SIZE = 200
/** Longer lists are for a narrower filter. */
export const EXPORT_LIMIT = 10_000

/** One field; a spreadsheet must not take text for a formula. */
export function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?[\d,.]+$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Rows as CSV with a head; the mark at the start tells Excel that it is UTF-8. */
export function toCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [columns.map((column) => column.title), ...rows.map((row) => columns.map((column) => column.text(row)))]
  return `\uFEFF${lines.map((line) => line.map(csvField).join(',')).join('\r\n')}\r\n`
}

/** All rows that the filters leave, up to the limit. */
export async function fetchAll<Row>(description: ListDescription<Row>, filters: Filters): Promise<Row[]> {
  const rows: Row[] = []
  for (let page = 1; rows.length < EXPORT_LIMIT; page += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one page after the other spares the server
    const next = await api.get<Page<Row>>(description.path, listQuery(filters, page, PAGE_SIZE))
    rows.push(...next.rows)
    if (next.rows.length < PAGE_SIZE) break
  }
  return rows.slice(0, EXPORT_LIMIT)
}

/** Gives `content` to the browser as a file. */
export function saveFile(name: string, content: string | Blob): void {
  const file = typeof content === 'string' ? new Blob([content], { type: 'text/csv;charset=utf-8' }) : content
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}

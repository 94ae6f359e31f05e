import type { ReactNode } from 'react'
import type { ListRoute } from '@/api/shapes'

export interface FilterOption {
  value: string
  label: string
}

/** One field of the filter row; its name is the query parameter and the name in the address. */
export type Filter =
  | { kind: 'text'; name: string; label: string; placeholder?: string }
  | { kind: 'select'; name: string; label: string; options: readonly FilterOption[] }

export interface Column<Row> {
  key: string
  title: string
  /** px; the last column without one takes the rest. */
  width?: number
  align?: 'right'
  /** Plain text, for export and as the cell when there is no `render`. */
  text(row: Row): string
  render?(row: Row): ReactNode
  /** Not shown until asked for in the column settings. */
  optional?: boolean
  /** Takes as many lines as it needs, instead of being cut. */
  wraps?: boolean
}

/** A list page as data. */
export interface ListDescription<Row> {
  /** Names stored settings and the exported file. */
  id: string
  title: string
  /** What the page is for, in one sentence. */
  purpose: string
  /** Path of the list call; without a `family` also the first part of its query key. */
  path: ListRoute<Row>
  /** The first part of all query keys that go stale with the list. */
  family?: string
  /** Whose words name pages and rows; absent: the main host's. */
  paging?: 'financial'
  /** The server makes the list's file (`<path>/export`, with the same filters and the columns' keys). */
  exported?: boolean
  /** Read model whose changes the page follows. */
  table?: string
  rowKey(row: Row): string
  filters: readonly Filter[]
  columns: readonly Column<Row>[]
  /** What an empty list without filters says. */
  emptyText: string
}

/** Key of all queries of a list, for invalidation. */
export function listKey(description: { path: string; family?: string }): readonly [string] {
  return [description.family ?? description.path]
}

export type Filters = Readonly<Record<string, string>>


import type { ReactNode } from 'react'
import type { ListRoute, Page, QueryOf, RouteOf } from '@/api/shapes'
import type { AreaChoices } from '../areaChoices'
import type { TagStyle } from '../StateTag'
import type { QuickRange } from './range'
import type { Choices } from './RemoteSelect'

export interface FilterOption {
  value: string
  label: string
  /** The head that it stands under, together with its neighbours. */
  group?: string
}

/** One field of the filter row; its names are those of the query and of the address. */
export type Filter<Name extends string = string> =
  | { kind: 'text'; name: Name; label: string; placeholder?: string }
  | { kind: 'select'; name: Name; label: string; options: readonly FilterOption[] }
  /** Any of several; on the wire with commas between them. */
  | { kind: 'several'; name: Name; label: string; options: readonly FilterOption[] }
  /** One of more than can be listed: found by part of its name. */
  | { kind: 'search'; name: Name; label: string; placeholder?: string; choices: Choices }
  /** An agent, or one of its service areas. */
  | { kind: 'area'; agent: Name; area: Name; label: string; choices: AreaChoices }
  /** From one number to another, both included. */
  | { kind: 'numbers'; from: Name; to: Name; label: string; unit?: string }
  /** From one amount to another, both included; typed in yuan, asked for in cents. */
  | { kind: 'money'; from: Name; to: Name; label: string }
  /** Days of the operation, both included; `usual` is what an address without any stands for, all of time without one. */
  | { kind: 'times'; from: Name; to: Name; label: string; quick?: readonly QuickRange[]; usual?: QuickRange }

interface ColumnHead<Sort extends string> {
  key: string
  title: string
  /** px; absent: that of the kind, and of text what is left. */
  width?: number
  /** Not shown until asked for in the column settings. */
  optional?: boolean
  /** Takes as many lines as it needs, instead of being cut. */
  wraps?: boolean
  /** What the query calls the order by this column. */
  sort?: Sort
  /** A figure that lives on the page alone: no file has it. */
  unexported?: boolean
}

interface TextCell<Row> {
  kind?: undefined
  align?: 'right'
  /** Plain text, for export and as the cell when there is no `render`; nothing reads as `--`. */
  text(row: Row): string | null | undefined
  render?(row: Row): ReactNode
  /** What the row is known by. */
  strong?: boolean
}

/** What a value without a text of its own is; `none` is what is said when there is none. */
interface ValueCell<Row, Kind extends string, Value> {
  kind: Kind
  value(row: Row): Value | null | undefined
  none?: string
}

type Cell<Row> =
  | TextCell<Row>
  /** Cents. */
  | ValueCell<Row, 'money', number | string>
  /** Epoch ms. */
  | ValueCell<Row, 'time', number>
  | ValueCell<Row, 'phone', string>
  | ValueCell<Row, 'count', number>
  /** Ten-thousandths. */
  | ValueCell<Row, 'percent', number>
  /** A word with the colour of its state. */
  | ValueCell<Row, 'choice', TagStyle>

export type Column<Row, Sort extends string = string> = ColumnHead<Sort> & Cell<Row>

/** One of the states that stand above the table. */
export interface StateTab extends FilterOption {
  /** How many rows are in it. */
  count?: number
}

/** A list page as data; `Name` is a parameter of its query, `Sort` an order that it knows. */
interface Described<Row, Path extends string, Name extends string, Sort extends string> {
  /** Names stored settings and the exported file. */
  id: string
  title: string
  /** What the page is for, in one sentence. */
  purpose: string
  /** Path of the list call; without a `family` also the first part of its query key. */
  path: Path
  /** The first part of all query keys that go stale with the list. */
  family?: string
  /** Whose words name pages and rows; absent: the main host's. */
  paging?: 'financial'
  /** The server makes the list's file (`<path>/export`, with the same filters and the columns' keys). */
  exported?: boolean
  /** What the list is always asked for, beside what its filters say. */
  fixed?: Filters
  /** Read model whose changes the page follows. */
  table?: string
  rowKey(row: Row): string
  /** A filter whose choices stand above the table, `全部` before them. */
  tabs?: { name: Name; label: string; options: readonly StateTab[] }
  filters: readonly Filter<Name>[]
  columns: readonly Column<Row, Sort>[]
  /** What an empty list without filters says. */
  emptyText: string
}

/** What a page says of itself, and no filter of the row. */
type Place = 'page' | 'after' | 'pageSize' | 'current' | 'size' | 'sort'
type NameOf<R extends RouteOf<'get'>> = Exclude<keyof QueryOf<R> & string, Place>
/** `name` and `-name` are one order. */
type SortOf<R extends RouteOf<'get'>> = QueryOf<R> extends { readonly sort?: infer Sort } ? Exclude<Sort & string, `-${string}`> : never

/** A list page as data. Its filters and orders are parameters of its route's query: the type check says so. */
export type ListDescription<Row> = { [R in ListRoute<Row>]: Described<Row, R, NameOf<R>, SortOf<R>> }[ListRoute<Row>]

/** Any of them, for the parts that draw it. */
export type AnyList<Row> = Described<Row, string, string, string>

/** A page of rows with what they come to, by the keys of columns. */
export interface ListRows<Row> extends Page<Row> {
  totals?: Readonly<Record<string, number | null>>
}

/** Key of all queries of a list, for invalidation. */
export function listKey(description: { path: string; family?: string }): readonly [string] {
  return [description.family ?? description.path]
}

export type Filters = Readonly<Record<string, string>>

/** Parameters that a filter sets. */
export function namesOf(filter: Filter): readonly string[] {
  if (filter.kind === 'area') return [filter.agent, filter.area]
  return 'name' in filter ? [filter.name] : [filter.from, filter.to]
}

/** The tabs as one filter among the others. */
export function filtersOf({ filters, tabs }: Pick<AnyList<never>, 'filters' | 'tabs'>): readonly Filter[] {
  return tabs ? [{ kind: 'select', ...tabs }, ...filters] : filters
}

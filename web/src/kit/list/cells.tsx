/** How the cells of each kind of column read, stand and are exported. */
import type { ReactNode } from 'react'
import { EMPTY, formatMoney, formatPercent, formatTime } from '../format'
import type { Fact } from '../Facts'
import { Dot } from '../StateTag'
import type { AnyList, Column } from './description'

type Kind = NonNullable<Column<never>['kind']>

/** Room for the longest usual value, px. */
const WIDTH: Readonly<Record<Kind, number>> = { money: 116, time: 160, phone: 120, count: 84, percent: 88, choice: 96 }
/** Numbers that are compared from row to row stand in line. */
const RIGHT: ReadonlySet<Kind> = new Set(['money', 'count', 'percent'])

export function widthOf<Row>(column: Column<Row>): number | undefined {
  return column.width ?? (column.kind && WIDTH[column.kind])
}

export function alignOf<Row>(column: Column<Row>): 'right' | undefined {
  return column.kind === undefined ? column.align : RIGHT.has(column.kind) ? 'right' : undefined
}

/** A number of a column as it reads; also what its rows come to. */
export function figureText(kind: Kind | undefined, figure: number | string): string {
  if (kind === 'money') return formatMoney(figure)
  if (kind === 'percent') return formatPercent(Number(figure))
  if (kind === 'time') return formatTime(Number(figure))
  return Number(figure).toLocaleString('zh-CN')
}

/** The cell as plain text. */
export function textOf<Row>(column: Column<Row>, row: Row): string {
  if (column.kind === undefined) return column.text(row) || EMPTY
  const { none = column.kind === 'time' ? formatTime(null) : EMPTY } = column
  if (column.kind === 'choice') return column.value(row)?.label ?? none
  if (column.kind === 'phone') return column.value(row) || none
  const figure = column.value(row)
  return figure === null || figure === undefined || figure === '' ? none : figureText(column.kind, figure)
}

export function cellOf<Row>(column: Column<Row>, row: Row): ReactNode {
  const text = textOf(column, row)
  if (column.kind === undefined) return column.render?.(row) ?? (column.strong ? <strong title={text}>{text}</strong> : text)
  const tag = column.kind === 'choice' ? column.value(row) : null
  return tag ? <Dot {...tag} /> : <span className="figure">{text}</span>
}

/** What the columns with these keys say of a row, as facts. */
export function factsOf<Row>({ columns }: Pick<AnyList<Row>, 'columns'>, row: Row, ...keys: readonly string[]): Fact[] {
  return keys.flatMap((key) => columns.filter((column) => column.key === key).map((column) => ({ name: column.title, value: cellOf(column, row) })))
}

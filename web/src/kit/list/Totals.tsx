import { Table, type TableColumnType } from 'antd'
import { alignOf, figureText } from './cells'
import type { Column, ListRows } from './description'

interface TotalsProps<Row> {
  totals: NonNullable<ListRows<Row>['totals']>
  /** As the table has them. */
  columns: readonly TableColumnType<Row>[]
  described: readonly Column<Row>[]
  /** Whether a column of boxes stands before them. */
  selectable: boolean
}

/** What the rows that the filters leave come to. */
export function Totals<Row>({ totals, columns, described, selectable }: TotalsProps<Row>) {
  const before = selectable ? 1 : 0
  return (
    <Table.Summary.Row className="totals">
      {selectable && <Table.Summary.Cell index={0} />}
      {columns.map(({ key }, index) => {
        const column = described.find((one) => one.key === key)
        const total = totals[String(key)]
        return (
          <Table.Summary.Cell key={String(key)} index={index + before} align={column && alignOf(column)}>
            {column && total !== undefined && total !== null ? <span className="figure">{figureText(column.kind, total)}</span> : index === 0 ? '合计' : null}
          </Table.Summary.Cell>
        )
      })}
    </Table.Summary.Row>
  )
}

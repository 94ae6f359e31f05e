import { Button, Empty, Result, Table, type TableColumnType, type TableProps, type TableRef } from 'antd'
import { memo, type ReactNode, useEffect, useRef } from 'react'
import { failureText, HttpError } from '@/api/client'
import { useSteady } from '../useSteady'
import { pageSizes } from './address'
import { reachable } from './places'
import { alignOf, cellOf, widthOf } from './cells'
import type { Column, ListRows } from './description'
import type { ListSettings } from './settings'
import './list.css'

/** Width of the column of boxes, px. */
const SELECTION_PX = 48
/** From more rows than this on, only those in sight are drawn. */
const VIRTUAL_FROM = 100
/** Height of such a table at least, and what the window has to hold besides, px. */
const VIRTUAL_LEAST_PX = 360
const AROUND_VIRTUAL_PX = 320

interface ListTableProps<Row extends object> {
  query: {
    data: ListRows<Row> | undefined
    error: Error | null
    isLoading: boolean
    isPlaceholderData: boolean
    refetch(): Promise<unknown>
  }
  rowKey(row: Row): string
  columns: TableColumnType<Row>[]
  density: ListSettings['density']
  /** The head of a column that orders was clicked; null: as the route does by itself. */
  onSort?(order: { key: string; descending: boolean } | null): void
  /** What the rows come to, as a row of its own that stays in sight. */
  summary?: ReactNode
  /** How far below the top of what scrolls the head stays; absent: at its very top. */
  headAt_px?: number
  address: { page: number; pageSize: number; open: string | null }
  /** Places that pages begin behind, by their numbers, as far as they are known. */
  places?: ReadonlyMap<number, string>
  onAddress(change: { page?: number; after?: string; pageSize?: number; open?: string; filters?: Record<string, never> }): void
  /** Whether a row opens when it is clicked. */
  openable: boolean
  /** Whether the rows may no longer be those of now. */
  stale?: boolean
  /** Keys of the rows that changed just now. */
  marked?: ReadonlySet<string>
  selection?: TableProps<Row>['rowSelection']
  /** What a row is called when it is marked; its key when absent. */
  called?(row: Row): string
  /** Whether filters leave rows out. */
  narrowed: boolean
  /** What an empty list without filters says, and what is to be done then. */
  emptyText: string
  emptyAction?: ReactNode
  /** What the list holds, and the code of the right to see it, for those who may not or when it does not come. */
  holds?: { name: string; need: string }
}

/** What a described column is to the table. */
export function tableColumns<Row>(columns: readonly Column<Row>[], shown: readonly string[], sort: string | null = null): TableColumnType<Row>[] {
  return columns
    .filter((column) => shown.includes(column.key))
    .map((column) => ({
      key: column.key,
      title: column.title,
      width: widthOf(column),
      align: alignOf(column),
      ellipsis: !column.wraps,
      render: (_: unknown, row: Row) => cellOf(column, row),
      ...(column.sort && {
        sorter: true,
        sortOrder: sort === column.sort ? 'ascend' : sort === `-${column.sort}` ? 'descend' : null,
      }),
    }))
}

/** Gives the focus to the row whose drawer was closed, when it was lost with the drawer. */
function useFocusBack(open: string | null) {
  const table = useRef<TableRef>(null)
  const last = useRef(open)
  useEffect(() => {
    const closed = open === null ? last.current : null
    last.current = open
    if (closed === null) return undefined
    // The drawer's own focus trap lets go when it is gone.
    const timer = setTimeout(() => {
      if (document.activeElement !== null && document.activeElement !== document.body) return
      table.current?.nativeElement.querySelector<HTMLElement>(`[data-row-key="${CSS.escape(closed)}"]`)?.focus()
    })
    return () => clearTimeout(timer)
  }, [open])
  return table
}

/** One page of a list: its rows, or why there are none. */
export function ListTable<Row extends object>(props: ListTableProps<Row>) {
  const { query, address, places, holds, onAddress, onSort, ...drawn } = props
  const { data, isLoading, isPlaceholderData } = query
  const { page, pageSize, open } = address
  const onChange = useSteady(onAddress)
  const onOrder = useSteady((order: { key: string; descending: boolean } | null) => onSort?.(order))
  const onReload = useSteady(() => void query.refetch())
  const onPage = useSteady((nextPage: number, nextSize: number) => {
    const behind = nextPage === page + 1 && !isPlaceholderData ? data?.place : undefined
    const after = nextSize === pageSize ? (behind ?? places?.get(nextPage)) : undefined
    onAddress({ page: nextSize === pageSize ? nextPage : 1, pageSize: nextSize, ...(after === undefined ? {} : { after }) })
  })
  if (query.error && !data) return <Failed error={query.error} holds={holds} onRetry={onReload} />
  return (
    <Rows<Row>
      {...drawn}
      {...{ data, isLoading, isPlaceholderData, page, pageSize, open, onChange, onOrder, onReload, onPage }}
    />
  )
}

type RowsProps<Row extends object> = Omit<ListTableProps<Row>, 'query' | 'address' | 'places' | 'onAddress' | 'onSort' | 'holds'> &
  Pick<ListTableProps<Row>['query'], 'data' | 'isLoading' | 'isPlaceholderData'> &
  ListTableProps<Row>['address'] & {
    onChange: ListTableProps<Row>['onAddress']
    onOrder(order: { key: string; descending: boolean } | null): void
    onReload(): void
    onPage(page: number, pageSize: number): void
  }

/** The rows: drawn anew when something of them is another, and not whenever the page around them hears of something. */
const Rows = memo(DrawnRows) as typeof DrawnRows

function DrawnRows<Row extends object>(props: RowsProps<Row>) {
  const { data, rowKey, columns, page, pageSize, openable, marked, selection, narrowed, onChange } = props
  const focusBack = useFocusBack(props.open)
  const open = (row: Row) => onChange({ open: rowKey(row) })
  const rows = data?.rows ?? []
  const waits = props.isLoading || props.isPlaceholderData
  // Only the rows in sight are drawn; they then scroll by themselves.
  const virtual = rows.length > VIRTUAL_FROM
  return (
    <Table<Row>
      ref={focusBack}
      className={props.stale ? 'stale' : undefined}
      rowKey={rowKey}
      columns={columns}
      dataSource={rows}
      virtual={virtual}
      size={props.density}
      loading={{ spinning: waits, delay: 150 }}
      // At once, where the spinner waits for a moment.
      aria-busy={waits}
      sticky={{ offsetHeader: props.headAt_px ?? 0 }}
      scroll={{
        x: columns.reduce((sum, column) => sum + Number(column.width ?? 200), selection ? SELECTION_PX : 0),
        ...(virtual && { y: Math.max(VIRTUAL_LEAST_PX, window.innerHeight - AROUND_VIRTUAL_PX) }),
      }}
      // The table looks for `fixed` at this very element.
      summary={props.summary ? () => <Table.Summary fixed="bottom">{props.summary}</Table.Summary> : undefined}
      onChange={(_, __, sorter, { action }) => {
        if (action !== 'sort' || Array.isArray(sorter)) return
        props.onOrder(sorter.order ? { key: String(sorter.columnKey), descending: sorter.order === 'descend' } : null)
      }}
      rowClassName={(row) =>
        [marked?.has(rowKey(row)) && 'row-changed', props.open === rowKey(row) && 'row-open', openable && 'row-link']
          .filter(Boolean)
          .join(' ')
      }
      rowSelection={
        selection && {
          columnWidth: SELECTION_PX,
          ...selection,
          getTitleCheckboxProps: () => ({ 'aria-label': '全选本页' }),
          getCheckboxProps: (row) => ({ 'aria-label': `选择 ${props.called?.(row) ?? rowKey(row)}` }),
        }
      }
      onRow={(row) =>
        openable
          ? {
              tabIndex: 0,
              onClick: () => open(row),
              onKeyDown: (event) => {
                if (event.key === 'Enter' && event.target === event.currentTarget) open(row)
              },
            }
          : // A table wider than its place is scrolled from a row by the keyboard.
            { tabIndex: 0 }
      }
      locale={{
        emptyText: props.isLoading ? (
          <div className="list-empty" />
        ) : (
          <Empty
            className="list-empty"
            image={Empty.PRESENTED_IMAGE_SIMPLE}
            description={narrowed ? '没有符合筛选条件的记录' : props.emptyText}
          >
            {narrowed ? (
              <Button onClick={() => onChange({ filters: {}, page: 1 })}>清除筛选</Button>
            ) : (
              // Nothing to be done by oneself: looked at again, it may have come; and whoever uses the keyboard can scroll there.
              (props.emptyAction ?? <Button onClick={props.onReload}>重新加载</Button>)
            )}
          </Empty>
        ),
      }}
      pagination={{
        current: page,
        pageSize,
        total: data ? reachable(data, page, pageSize) : 0,
        pageSizeOptions: [...pageSizes],
        showSizeChanger: true,
        showTotal: () => `共 ${data?.count ?? 0}${data?.capped ? '+' : ''} 条`,
        onChange: props.onPage,
      }}
    />
  )
}

interface FailedProps {
  error: Error
  holds: ListTableProps<object>['holds']
  onRetry(): void
}

/** The list did not come: not allowed, or broken. */
function Failed({ error, holds, onRetry }: FailedProps) {
  const forbidden = error instanceof HttpError && error.status === 403
  return (
    <Result
      status={forbidden ? '403' : 'error'}
      title={forbidden ? `没有查看${holds?.name ?? '这些数据'}的权限` : `${holds?.name ?? '列表'}加载失败`}
      subTitle={
        forbidden
          ? `请联系管理员为您的角色添加${holds ? `权限 ${holds.need}` : '对应的权限'}。`
          : failureText(error, error instanceof HttpError && error.status > 0 ? '服务器出现问题，请稍后再试' : '网络出现问题，请稍后再试')
      }
      extra={forbidden ? null : <Button onClick={onRetry}>重试</Button>}
    />
  )
}

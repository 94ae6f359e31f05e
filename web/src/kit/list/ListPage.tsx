import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { App, Button, Dropdown, type TableColumnType, type TableProps, Tabs } from 'antd'
import { MoreOutlined, PlusOutlined } from '@ant-design/icons'
import { createContext, type ReactNode, use, useCallback, useMemo, useState } from 'react'
import { useDevice } from '../device'
import { TOO_MANY } from '../jobs/jobs'
import { useUnderWay } from '../jobs/store'
import { allows, useCodes } from '../permission/held'
import { NewRecordDrawer } from '../record/RecordDrawer'
import { useListAddress } from './address'
import { usePlaces } from './places'
import { textOf } from './cells'
import { type AnyList, type Filters, filtersOf, listKey, type ListRows, type StateTab } from './description'
import { FilterRow } from './FilterRow'
import { ListTable, tableColumns } from './ListTable'
import { dated, fetchPage } from './pages'
import { SavedFiltersMenu } from './SavedFiltersMenu'
import { useListSettings } from './settings'
import { exportKey, exportList, startExport } from './export'
import { askedOf } from './times'
import { Toolbar } from './Toolbar'
import { Totals } from './Totals'
import { type Neighbours, neighboursOf, useArrows } from './useArrows'
import { useStale } from './stale'
import { useFollow } from './useFollow'
import './list.css'

/** Height of the bar that takes the toolbar's place while rows are marked; it stays in sight, and so does the table's head below it. */
const BATCH_BAR_PX = 44

/** What can be done with a row. */
export interface RowAction {
  key: string
  label: string
  danger?: boolean
  /** What one needs to do it, as `Permit` has it; who lacks it does not see it. */
  code?: string
  /** Says why it cannot be done now; absent when it can. */
  unavailable?: string
  onRun(): void
}

/** What can be done with all marked rows. */
export interface BatchAction<Row> {
  key: string
  label: string
  danger?: boolean
  /** What one needs to do it, as `Permit` has it; who lacks it does not see it. */
  code?: string
  /** Behind 更多操作. */
  seldom?: boolean
  /** Says why it cannot be done with these rows; absent when it can. */
  unavailable?(rows: readonly Row[]): string | undefined
  onRun(rows: Row[], done: () => void): void
}

/** What rows are asked for. */
export interface ListAsked {
  filters: Filters
  sort: string | null
  page: number
  pageSize: number
  /** The place that the page begins behind; absent: by its number. */
  after?: string
}

interface ListPageProps<Row extends object> {
  description: AnyList<Row>
  /** Where the rows come from, when it is not the description's route; they cannot be exported then. */
  source?(asked: ListAsked): Promise<ListRows<Row>>
  /** The main action, left in the toolbar: the form of a new row in a drawer. */
  add?: { text: string; form(close: () => void): ReactNode }
  /** What stands between the filters and the rows: what all of them come to. */
  above?(answer: ListRows<Row>): ReactNode
  /** What else can be done with the list, beside the main action; it can ask what the list is asked for. */
  tools?(asked: () => Filters): ReactNode
  rowActions?(row: Row): RowAction[]
  /** Whether rows are changed in their drawer; for some of them it may say why this one is not. */
  editable?: boolean | ((row: Row) => string | undefined)
  batchActions?: readonly BatchAction<Row>[]
  /** The drawer of the open row; without one a click on a row does nothing. */
  drawer?(key: string, close: () => void, neighbours: Neighbours): ReactNode
}

/** A list described by data: filters, table, drawer; addresses, keyboard and live changes included. */
export function ListPage<Row extends object>(props: ListPageProps<Row>) {
  const { description, source, above, add, tools, rowActions, editable, drawer } = props
  const { rowKey, tabs } = description
  const filterList = useMemo(() => filtersOf(description), [description])
  const sorts = useMemo(() => description.columns.flatMap(({ sort }) => sort ?? []), [description])
  const codes = useCodes()
  const may = ({ code }: { code?: string }) => code === undefined || allows(code, codes)
  const permitted = props.batchActions?.filter(may)
  const batchActions = permitted?.length === 0 ? undefined : permitted
  const { message } = App.useApp()
  const device = useDevice()
  const [address, setAddress] = useListAddress(filterList, sorts)
  const [settings, setSettings, resetSettings] = useListSettings(description.id, description.columns)
  const [chosen, setChosen] = useState<Row[]>([])
  const [adding, setAdding] = useState(false)
  const exporting = useUnderWay(exportKey(description.id))
  const { filters, page, pageSize, sort, open } = address
  const after = address.after === undefined ? {} : { after: address.after }

  const query = useQuery({
    queryKey: [...listKey(description), 'list', filters, page, pageSize, sort, ...Object.values(after)],
    queryFn: ({ signal }) => {
      const asked = askedOf(description, filters, Date.now())
      return dated(() =>
        source
          ? source({ filters: asked, sort, page, pageSize, ...after })
          : fetchPage<Row>(description, sort === null ? asked : { ...asked, sort }, { page, pageSize, ...after }, { signal }),
      )
    },
    placeholderData: keepPreviousData,
  })
  const { data } = query
  const shown = useMemo(
    () =>
      data
        ? { askedAt_ms: data.askedAt_ms, seen: data.seen, keys: new Set([...data.rows.map(rowKey), ...(open === null ? [] : [open])]) }
        : null,
    [data, rowKey, open],
  )
  const { places, remember } = usePlaces([filters, sort, pageSize], address)
  const { marked, updates, onUpdates } = useFollow(description.table ?? null, listKey(description), shown)
  const stale = useStale(query, description.table !== undefined)
  const filtered = Object.keys(filters).length > 0

  const keys = (query.data?.rows ?? []).map(rowKey)
  const move = (key: string) => setAddress({ open: key })
  useArrows(keys, drawer ? open : null, move)

  const exportRows = () => {
    const shown = description.columns.filter(({ key, unexported }) => settings.shown.includes(key) && !unexported)
    const begun = startExport(description.id, description.title, (work) => exportList(description, filters, shown, work))
    if (!begun) void message.info(TOO_MANY)
  }

  const ask = (values: Filters) => {
    setChosen([])
    setAddress({ filters: values, page: 1 })
  }
  const choosing = batchActions !== undefined && chosen.length > 0
  const edit = (row: Row): RowAction => {
    const unavailable = typeof editable === 'function' ? editable(row) : undefined
    return { key: 'edit', label: '编辑', ...(unavailable ? { unavailable } : {}), onRun: () => setAddress({ open: rowKey(row) }) }
  }
  const actionsOf = (row: Row) => [...(editable ? [edit(row)] : []), ...(rowActions?.(row) ?? []).filter(may)]
  const inSight = [editable, rowActions].filter(Boolean).length
  const columns = useMemo(() => {
    const shown = tableColumns(description.columns, settings.shown, sort)
    if (inSight === 0) return shown
    const actions: TableColumnType<Row> = {
      key: 'actions',
      title: '操作',
      width: inSight * 44 + 48,
      // On a phone it would hide half of the row.
      fixed: device === 'mobile' ? undefined : 'right',
      render: (_, row) => <Actions row={row} inSight={inSight} />,
    }
    return [...shown, actions]
  }, [description.columns, settings.shown, sort, inSight, device])
  const selectable = batchActions !== undefined
  const selection = useMemo<TableProps<Row>['rowSelection']>(
    () =>
      selectable
        ? { selectedRowKeys: chosen.map(rowKey), preserveSelectedRowKeys: true, onChange: (_, selected) => setChosen(selected) }
        : undefined,
    [selectable, chosen, rowKey],
  )
  const totals = data?.totals
  const summary = useMemo(
    () => totals && <Totals totals={totals} columns={columns} described={description.columns} selectable={selectable} />,
    [totals, columns, description.columns, selectable],
  )
  const called = useCallback(
    (row: Row) => (description.columns[0] ? textOf(description.columns[0], row) : rowKey(row)),
    [description.columns, rowKey],
  )

  const main = add && (
    <Button type="primary" icon={<PlusOutlined />} onClick={() => setAdding(true)}>
      {add.text}
    </Button>
  )
  return (
    <section className="list-page" aria-labelledby="list-title">
      <header className="list-head">
        <h1 id="list-title">{description.title}</h1>
        <p className="weak">{description.purpose}</p>
      </header>
      <div className="panel list-panel">
        {tabs && (
          <Tabs
            className="state-tabs"
            aria-label={tabs.label}
            activeKey={filters[tabs.name] ?? ''}
            onChange={(value) => ask({ ...filters, [tabs.name]: value })}
            items={[{ value: '', label: '全部' }, ...tabs.options].map(({ value, label, count }: StateTab) => ({
              key: value,
              label: (
                <>
                  {label}
                  {count !== undefined && <span className="state-count figure">{count.toLocaleString('zh-CN')}</span>}
                </>
              ),
            }))}
          />
        )}
        <FilterRow filters={description.filters} values={filters} onChange={ask}>
          {filterList.length > 0 && <SavedFiltersMenu id={description.id} values={filters} onApply={ask} />}
        </FilterRow>
        {data && above?.(data)}
        {choosing ? (
          <div className="toolbar batch-bar" role="region" aria-label="批量操作">
            <span>
              已选择 <strong className="figure">{chosen.length}</strong> 项
            </span>
            {batchActions
              .filter(({ seldom }) => !seldom)
              .map((action) => (
                <Button
                  key={action.key}
                  size="small"
                  danger={action.danger}
                  disabled={Boolean(action.unavailable?.(chosen))}
                  title={action.unavailable?.(chosen)}
                  onClick={() => action.onRun(chosen, () => setChosen([]))}
                >
                  {action.label}
                </Button>
              ))}
            <SeldomActions actions={batchActions.filter(({ seldom }) => seldom)} rows={chosen} done={() => setChosen([])} />
            <Button size="small" type="link" onClick={() => setChosen([])}>
              取消选择
            </Button>
          </div>
        ) : (
          <div className="toolbar">
            <div className="toolbar-left">
              {main}
              {tools?.(() => askedNow(description, filters))}
            </div>
            <Toolbar
              columns={description.columns}
              settings={settings}
              onSettings={setSettings}
              onReset={resetSettings}
              refreshedAt={query.dataUpdatedAt}
              stale={stale}
              updates={updates}
              onUpdates={onUpdates}
              refreshing={query.isFetching}
              onRefresh={() => void query.refetch()}
              exporting={exporting}
              onExport={source ? undefined : exportRows}
            />
          </div>
        )}
        <ActionsOf value={actionsOf as (row: object) => RowAction[]}>
          <ListTable<Row>
            query={query}
            rowKey={rowKey}
            columns={columns}
            density={settings.density}
            onSort={(order) => {
              const name = description.columns.find(({ key }) => key === order?.key)?.sort
              setAddress({ sort: name === undefined ? null : order?.descending ? `-${name}` : name, page: 1 })
            }}
            summary={summary}
            headAt_px={choosing ? BATCH_BAR_PX : 0}
            address={address}
            places={places}
            onAddress={(change) => {
              remember(change)
              setAddress(change)
            }}
            openable={drawer !== undefined}
            stale={stale !== null}
            marked={marked}
            selection={selection}
            called={called}
            narrowed={filtered}
            emptyText={description.emptyText}
            emptyAction={keys.length === 0 ? main : undefined}
          />
        </ActionsOf>
      </div>
      {open !== null && drawer?.(open, () => setAddress({ open: null }), neighboursOf(keys, open, move))}
      {add && adding && (
        <NewRecordDrawer title={add.text} onClose={() => setAdding(false)}>
          {add.form(() => setAdding(false))}
        </NewRecordDrawer>
      )}
    </section>
  )
}

/** What the list is asked for at this moment. */
function askedNow<Row extends object>(description: AnyList<Row>, filters: Filters): Filters {
  return askedOf(description, filters, Date.now())
}

/** What is done with marked rows now and then. */
function SeldomActions<Row>({ actions, rows, done }: { actions: readonly BatchAction<Row>[]; rows: Row[]; done(): void }) {
  if (actions.length === 0) return null
  const items = actions.map(({ key, label, danger = false, unavailable }) => {
    const why = unavailable?.(rows)
    return { key, label, danger, disabled: why !== undefined, ...(why === undefined ? {} : { title: why }) }
  })
  const run = (key: string) => actions.find((action) => action.key === key)?.onRun(rows, done)
  return (
    <Dropdown trigger={['click']} menu={{ items, onClick: ({ key }) => run(key) }}>
      <Button size="small">更多操作</Button>
    </Dropdown>
  )
}

/** What can be done with a row now: it may be another thing while the row is the same. */
const ActionsOf = createContext<(row: object) => RowAction[]>(() => [])

/** The first actions in words, the others behind a button. */
function Actions({ row, inSight }: { row: object; inSight: number }) {
  const actions = use(ActionsOf)(row)
  const rest = actions.slice(inSight)
  return (
    // Clicks on actions are no clicks on the row.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions, jsx-a11y/click-events-have-key-events
    <span className="row-actions" onClick={(event) => event.stopPropagation()}>
      {actions.slice(0, inSight).map(({ key, label, danger, unavailable, onRun }) => (
        <Button key={key} type="link" size="small" danger={danger} disabled={Boolean(unavailable)} title={unavailable} onClick={onRun}>
          {label}
        </Button>
      ))}
      {rest.length > 0 && (
        <Dropdown
          trigger={['click']}
          menu={{
            items: rest.map(({ key, label, danger, unavailable, onRun }) => ({
              key,
              label,
              danger,
              disabled: Boolean(unavailable),
              title: unavailable,
              onClick: onRun,
            })),
          }}
        >
          <Button type="text" size="small" aria-label="更多操作" icon={<MoreOutlined />} />
        </Dropdown>
      )}
    </span>
  )
}

import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { DataOf } from '@/api/shapes'
import { cellOf } from './cells'
import { toCsv } from './csv'
import { type Column, filtersOf, type ListDescription } from './description'
import { ListTable, tableColumns } from './ListTable'
import { Totals } from './Totals'

interface Row {
  id: string
  paid: number | null
  at_ms: number | null
  phone: string
  count: number | null
  share: number | null
  state: number
}
const row: Row = { id: '7', paid: -123_456, at_ms: Date.UTC(2026, 10, 20, 16), phone: '138****5678', count: 12_345, share: 1250, state: 1 }
const nothing: Row = { id: '8', paid: null, at_ms: null, phone: '', count: null, share: null, state: 9 }

const columns: Column<Row>[] = [
  { key: 'id', title: '编号', strong: true, text: ({ id }) => id, sort: 'id' },
  { kind: 'money', key: 'paid', title: '金额', value: ({ paid }) => paid, sort: 'paid' },
  { kind: 'time', key: 'at', title: '时间', value: ({ at_ms }) => at_ms },
  { kind: 'phone', key: 'phone', title: '电话', value: ({ phone }) => phone },
  { kind: 'count', key: 'count', title: '数量', none: '不限', value: ({ count }) => count },
  { kind: 'percent', key: 'share', title: '比例', value: ({ share }) => share },
  { kind: 'choice', key: 'state', title: '状态', value: ({ state }) => (state === 1 ? { label: '启用', color: '#13B981' } : null) },
]
const keys = columns.map(({ key }) => key)
const onSort = vi.fn<(order: { key: string; descending: boolean } | null) => void>()

function show(rows: Row[], sort: string | null = null, totals?: Record<string, number>) {
  const drawn = tableColumns(columns, keys, sort)
  return render(
    <ListTable<Row>
      query={{ data: { rows, count: rows.length }, error: null, isLoading: false, isPlaceholderData: false, refetch: () => Promise.resolve() }}
      rowKey={({ id }) => id}
      columns={drawn}
      density="middle"
      address={{ page: 1, pageSize: 200, open: null }}
      onAddress={() => undefined}
      onSort={onSort}
      openable={false}
      narrowed={false}
      emptyText=""
      summary={totals && <Totals totals={totals} columns={drawn} described={columns} selectable={false} />}
    />,
  )
}

afterEach(() => {
  cleanup()
  vi.clearAllMocks()
})

describe('kinds of columns', () => {
  it('read and are exported alike', () => {
    const lines = toCsv(columns, [row, nothing]).slice(1).split('\r\n')
    expect(lines[1]).toBe('7,"-1,234.56",2026-11-21 00:00:00,138****5678,"12,345",12.5%,启用')
    expect(lines[2]).toBe("8,'--,'-- --,'--,不限,'--,'--")
    show([row])
    for (const text of ['-1,234.56', '2026-11-21 00:00:00', '12,345', '12.5%', '启用']) expect(screen.getByText(text)).toBeTruthy()
    expect(screen.getByText('启用').className).toBe('state-tag')
    expect(screen.getByText('7').tagName).toBe('STRONG')
  })

  it('stand in line where numbers are compared, and know their room', () => {
    const drawn = tableColumns(columns, keys)
    expect(drawn.filter(({ align }) => align === 'right').map(({ key }) => key)).toEqual(['paid', 'count', 'share'])
    expect(drawn.map(({ width }) => typeof width)).toEqual(['undefined', ...Array.from({ length: 6 }, () => 'number')])
    expect(cellOf(columns[0] as Column<Row>, { ...row, id: '' })).toMatchObject({ props: { children: '--' } })
  })
})

describe('the order of rows', () => {
  it('is that of the address, and a click on a head that orders asks for the next one', () => {
    show([row], '-paid')
    expect(screen.getByRole('columnheader', { name: '金额' }).getAttribute('aria-sort')).toBe('descending')
    fireEvent.click(screen.getByRole('columnheader', { name: '编号' }))
    fireEvent.click(screen.getByRole('columnheader', { name: '金额' }))
    fireEvent.click(screen.getByRole('columnheader', { name: '时间' }))
    expect(onSort.mock.calls).toEqual([[{ key: 'id', descending: false }], [null]])
  })
})

it('what the rows come to reads as its column does', () => {
  show([row], null, { paid: 1_234_567, count: 9876 })
  expect(document.querySelector('.totals')?.textContent).toBe('合计12,345.679,876')
})

it('of many rows only those in sight are drawn', () => {
  show(Array.from({ length: 200 }, (_, index) => ({ ...row, id: `row ${index}` })))
  expect(document.querySelectorAll('[data-row-key]').length).toBeLessThan(100)
  cleanup()
  show(Array.from({ length: 100 }, (_, index) => ({ ...row, id: `row ${index}` })))
  expect(document.querySelectorAll('[data-row-key]').length).toBe(100)
})

describe('what a description may name', () => {
  const ROLES = '/platform/permission/role'
  const description: ListDescription<DataOf<typeof ROLES>['rows'][number]> = {
    id: 'role',
    title: '',
    purpose: '',
    path: ROLES,
    rowKey: ({ id }) => id,
    emptyText: '',
    tabs: { name: 'state', label: '状态', options: [] },
    filters: [
      { kind: 'text', name: 'keyword', label: '' },
      // @ts-expect-error -- the route knows no such parameter
      { kind: 'text', name: 'keywrod', label: '' },
      // @ts-expect-error -- nor where a page of rows begins
      { kind: 'numbers', from: 'page', to: 'state', label: '' },
    ],
    columns: [
      // @ts-expect-error -- and it orders by nothing
      { key: 'name', title: '', sort: 'name', text: ({ name }) => name },
    ],
  }

  it('the tabs are one filter among the others', () => {
    expect(filtersOf(description).map((filter) => 'name' in filter && filter.name)).toEqual(['state', 'keyword', 'keywrod', false])
  })
})

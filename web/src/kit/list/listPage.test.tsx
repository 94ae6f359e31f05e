import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { App, ConfigProvider } from 'antd'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { noCodes, useCodes } from '../permission/held'
import type { AnyList } from './description'
import { type ListAsked, ListPage } from './ListPage'
import { reachable } from './places'

interface Row {
  id: string
  paid: number
}

const description: AnyList<Row> = {
  id: 'test',
  title: '订单',
  purpose: '',
  path: '/none',
  rowKey: ({ id }) => id,
  emptyText: '',
  tabs: {
    name: 'state',
    label: '状态',
    options: [
      { value: '1', label: '进行中', count: 1234 },
      { value: '2', label: '已完成' },
    ],
  },
  filters: [{ kind: 'text', name: 'keyword', label: '关键词' }],
  columns: [
    { key: 'id', title: '编号', strong: true, text: ({ id }) => id },
    { kind: 'money', key: 'paid', title: '金额', sort: 'paid', value: ({ paid }) => paid },
  ],
}
const source = vi.fn<(asked: ListAsked) => Promise<{ rows: Row[]; count: number; capped?: boolean; place?: string; totals: Record<string, number> }>>()
const asked = () => source.mock.lastCall?.[0]

function page(address: string, client: QueryClient, refund: string, of = description) {
  return (
    <QueryClientProvider client={client}>
      <ConfigProvider button={{ autoInsertSpace: false }} theme={{ token: { motion: false } }}>
        <App>
          <MemoryRouter initialEntries={[address]}>
            <ListPage<Row>
              description={of}
              source={source}
              rowActions={() => [
                { key: 'refund', label: refund, code: '0901', onRun: () => undefined },
                { key: 'close', label: '关闭', code: '0902', unavailable: '已经关闭', onRun: () => undefined },
              ]}
              batchActions={[
                { key: 'close', label: '批量关闭', code: '0902', unavailable: (rows) => (rows.length > 1 ? '一次一单' : undefined), onRun: () => undefined },
              ]}
            />
          </MemoryRouter>
        </App>
      </ConfigProvider>
    </QueryClientProvider>
  )
}

function show(address = '/', of = description) {
  const client = new QueryClient()
  const { rerender } = render(page(address, client, '退款', of))
  return (refund: string) => rerender(page(address, client, refund, of))
}

beforeEach(() => {
  source.mockImplementation(() => Promise.resolve({ rows: [{ id: '7', paid: 100 }, { id: '8', paid: 200 }], count: 2, totals: { paid: 300 } }))
})
afterEach(() => {
  cleanup()
  useCodes.setState(noCodes, true)
  vi.clearAllMocks()
})

it('an action is not there for those who may not', async () => {
  useCodes.setState(new Set(['0901']), true)
  show()
  expect(await screen.findAllByText('退款')).toHaveLength(2)
  expect(screen.queryByText('关闭')).toBeNull()
  expect(screen.queryByLabelText('更多操作')).toBeNull()
  expect(document.querySelector('input[type="checkbox"]')).toBeNull()
})

it('an action says why it cannot be done now, with one row and with several', async () => {
  useCodes.setState(new Set(['0902']), true)
  show()
  const [close] = (await screen.findAllByText('关闭')).map((text) => text.closest('button'))
  expect([close?.disabled, close?.title]).toEqual([true, '已经关闭'])
  const batch = () => screen.getByText('批量关闭').closest('button')
  fireEvent.click(screen.getByLabelText('选择 7'))
  expect(batch()?.disabled).toBe(false)
  fireEvent.click(screen.getByLabelText('选择 8'))
  expect([batch()?.disabled, batch()?.title]).toEqual([true, '一次一单'])
})

it('tabs and heads ask for what they say, and the address remembers it', async () => {
  show('/?page=3&keyword=x')
  await screen.findByText('7')
  expect(asked()).toEqual({ filters: { keyword: 'x' }, sort: null, page: 3, pageSize: 20 })
  const tabs = screen.getByRole('tablist')
  expect(within(tabs).getAllByRole('tab').map(({ textContent }) => textContent)).toEqual(['全部', '进行中1,234', '已完成'])
  fireEvent.click(within(tabs).getByRole('tab', { name: '已完成' }))
  await vi.waitFor(() => expect(asked()).toEqual({ filters: { keyword: 'x', state: '2' }, sort: null, page: 1, pageSize: 20 }))
  fireEvent.click(screen.getByRole('columnheader', { name: '金额' }))
  await vi.waitFor(() => expect(asked()?.sort).toBe('paid'))
  fireEvent.click(screen.getByRole('columnheader', { name: '金额' }))
  await vi.waitFor(() => expect(asked()?.sort).toBe('-paid'))
  fireEvent.click(within(tabs).getByRole('tab', { name: '全部' }))
  await vi.waitFor(() => expect(asked()).toEqual({ filters: { keyword: 'x' }, sort: '-paid', page: 1, pageSize: 20 }))
  expect(document.querySelector('.totals')?.textContent).toBe('合计3.00')
})

/** Rows by their numbers, the highest first, as a server keeps them: pages behind a place, or by their number. */
function keeps(rows: number[]) {
  source.mockImplementation(({ page, pageSize, after }) => {
    const sorted = rows.toSorted((one, other) => other - one)
    const from = after === undefined ? (page - 1) * pageSize : sorted.filter((id) => id >= Number(after)).length
    const shown = sorted.slice(from, from + pageSize)
    const more = from + pageSize < sorted.length
    const answer = { rows: shown.map((id) => ({ id: String(id), paid: 0 })), count: 40, capped: true, totals: {} }
    return Promise.resolve(more ? { ...answer, place: String(shown.at(-1)) } : answer)
  })
}

const step = (title: string) => fireEvent.click(within(screen.getByTitle(title)).getByRole('button'))
const ids = () => [...document.querySelectorAll('tr[data-row-key]')].map((row) => Number(row.getAttribute('data-row-key')))
const from = (first: number) => Array.from({ length: 20 }, (_, place) => first - place)

it('goes on behind the row that it ended with, beyond what is counted, whatever comes meanwhile', async () => {
  const rows = Array.from({ length: 75 }, (_, place) => place + 1)
  keeps(rows)
  show('/')
  await vi.waitFor(() => expect(ids()).toEqual(from(75)))
  expect(screen.getByText('共 40+ 条')).toBeDefined()
  rows.push(76, 77, 78)
  step('Next Page')
  await vi.waitFor(() => expect(ids()).toEqual(from(55)))
  expect(asked()).toMatchObject({ page: 2, after: '56' })
  rows.splice(rows.indexOf(40), 1)
  step('Next Page')
  await vi.waitFor(() => expect(ids()).toEqual(from(35)))
  expect(asked()).toMatchObject({ page: 3, after: '36' })
  step('Next Page')
  await vi.waitFor(() => expect(ids()).toEqual(Array.from({ length: 15 }, (_, place) => 15 - place)))
  expect(screen.getByTitle('Next Page').getAttribute('aria-disabled')).toBe('true')
  step('Previous Page')
  await vi.waitFor(() => expect(ids()).toEqual(from(35)))
  expect(asked()).toMatchObject({ page: 3, after: '36' })
})

it('begins at the place that its address names, and another filter begins anew', async () => {
  keeps(Array.from({ length: 75 }, (_, place) => place + 1))
  show('/?page=3&after=36')
  await vi.waitFor(() => expect(ids()).toEqual(from(35)))
  fireEvent.click(screen.getByRole('tab', { name: '已完成' }))
  await vi.waitFor(() => expect(asked()).toEqual({ filters: { state: '2' }, sort: null, page: 1, pageSize: 20 }))
})

it('leads to what is counted, and a page further as long as there is one', () => {
  expect(reachable({ count: 45 }, 2, 20)).toBe(45)
  expect(reachable({ count: 10_000, capped: true, place: '7' }, 1, 20)).toBe(10_000)
  expect(reachable({ count: 10_000, capped: true, place: '7' }, 500, 20)).toBe(10_020)
  expect(reachable({ count: 10_000, capped: true }, 501, 20)).toBe(10_020)
})

it('rows are not drawn anew when only what can be done with them is another', async () => {
  useCodes.setState(new Set(['0901']), true)
  const drawn = vi.fn<(row: Row) => string>(({ id }) => id)
  const columns: AnyList<Row>['columns'] = [{ key: 'id', title: '编号', text: ({ id }) => id, render: drawn }]
  const change = show('/', { ...description, columns })
  expect(await screen.findAllByText('退款')).toHaveLength(2)
  const before = drawn.mock.calls.length
  change('补退')
  expect(screen.getAllByText('补退')).toHaveLength(2)
  expect(drawn.mock.calls).toHaveLength(before)
})

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { App, ConfigProvider } from 'antd'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { noCodes, useCodes } from '../permission/held'
import type { AnyList } from './description'
import { type ListAsked, ListPage } from './ListPage'

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
const source = vi.fn<(asked: ListAsked) => Promise<{ rows: Row[]; count: number; totals: Record<string, number> }>>()
const asked = () => source.mock.lastCall?.[0]

function show(address = '/') {
  return render(
    <QueryClientProvider client={new QueryClient()}>
      <ConfigProvider button={{ autoInsertSpace: false }} theme={{ token: { motion: false } }}>
        <App>
          <MemoryRouter initialEntries={[address]}>
            <ListPage<Row>
              description={description}
              source={source}
              rowActions={() => [
                { key: 'refund', label: '退款', code: '0901', onRun: () => undefined },
                { key: 'close', label: '关闭', code: '0902', unavailable: '已经关闭', onRun: () => undefined },
              ]}
              batchActions={[
                { key: 'close', label: '批量关闭', code: '0902', unavailable: (rows) => (rows.length > 1 ? '一次一单' : undefined), onRun: () => undefined },
              ]}
            />
          </MemoryRouter>
        </App>
      </ConfigProvider>
    </QueryClientProvider>,
  )
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

import { cleanup, fireEvent, render, renderHook, screen } from '@testing-library/react'
import { ConfigProvider } from 'antd'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { HttpError } from '@/api/client'
import type { Page } from '@/api/shapes'
import { ListTable, tableColumns } from './ListTable'
import { useArrows } from './useArrows'

interface Row {
  id: string
}
type Props = Parameters<typeof ListTable<Row>>[0]

const page: Page<Row> = { rows: [{ id: '7' }], count: 1 }
const onAddress = vi.fn<Props['onAddress']>()
const refetch = vi.fn<() => Promise<void>>(() => Promise.resolve())

function show(query: Partial<Props['query']>, more: Partial<Props> = {}) {
  const usual: Props = {
    query: { data: undefined, error: null, isLoading: false, isPlaceholderData: false, refetch, ...query },
    rowKey: (row) => row.id,
    columns: [{ key: 'id', title: '编号', width: 80, render: (_, row) => row.id }],
    density: 'middle',
    address: { page: 3, pageSize: 20, open: null },
    onAddress,
    openable: true,
    narrowed: false,
    emptyText: '还没有角色',
    ...more,
  }
  const tableOf = (props: Props) => (
    <ConfigProvider button={{ autoInsertSpace: false }} theme={{ token: { motion: false } }}>
      <ListTable<Row> {...props} />
    </ConfigProvider>
  )
  const { rerender } = render(tableOf(usual))
  return (changed: Partial<Props>) => rerender(tableOf({ ...usual, ...changed }))
}

afterEach(() => {
  cleanup()
  vi.clearAllMocks()
})

describe('the table of a list', () => {
  it('says whom to ask when the list may not be seen, and offers no second try', () => {
    show({ error: new HttpError(403, '') })
    expect(screen.getByText('没有查看这些数据的权限')).toBeTruthy()
    expect(screen.queryByRole('button', { name: '重试' })).toBeNull()
    cleanup()
    show({ error: new HttpError(403, '') }, { holds: { name: '操作日志', need: '1404' } })
    expect(screen.getByText('没有查看操作日志的权限')).toBeTruthy()
    expect(screen.getByText('请联系管理员为您的角色添加权限 1404。')).toBeTruthy()
  })

  it('rows that may no longer be those of now have no colour of their own', () => {
    const again = show({ data: page })
    expect(document.querySelector('.stale')).toBeNull()
    again({ query: { data: page, error: new HttpError(0, ''), isLoading: false, isPlaceholderData: false, refetch }, stale: true })
    expect(screen.getByText('7').closest('.stale')).not.toBeNull()
  })

  it('says at once that it waits for its rows, or for those that were asked for last', () => {
    const busy = () => document.querySelector('table[aria-busy]')?.getAttribute('aria-busy')
    const again = show({ isLoading: true })
    expect(busy()).toBe('true')
    again({ query: { data: page, error: null, isLoading: false, isPlaceholderData: true, refetch } })
    expect(busy()).toBe('true')
    again({ query: { data: page, error: null, isLoading: false, isPlaceholderData: false, refetch } })
    expect(busy()).toBe('false')
  })

  it('asks again when the list did not come', () => {
    show({ error: new HttpError(500, '') })
    expect(screen.getByText('列表加载失败')).toBeTruthy()
    expect(screen.getByText('服务器出现问题，请稍后再试')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: '重试' }))
    expect(refetch).toHaveBeenCalledTimes(1)
  })

  it('ERR-007 without an answer it is the network', () => {
    show({ error: new HttpError(0, '') })
    expect(screen.getByText('网络出现问题，请稍后再试')).toBeTruthy()
  })

  it('keeps showing what is known when asking again fails', () => {
    show({ data: page, error: new HttpError(500, '') })
    expect(screen.getByText('7')).toBeTruthy()
    expect(screen.queryByText('列表加载失败')).toBeNull()
  })

  it('leads out of filters that leave nothing, and otherwise says what an empty list means', () => {
    show({ data: { rows: [], count: 0 } }, { narrowed: true })
    fireEvent.click(screen.getByRole('button', { name: '清除筛选' }))
    expect(onAddress.mock.calls).toEqual([[{ filters: {}, page: 1 }]])
    cleanup()
    show({ data: { rows: [], count: 0 } })
    expect(screen.getByText('还没有角色')).toBeTruthy()
  })

  it('opens a row by click and by Enter, but only where rows can be opened', () => {
    show({ data: page })
    fireEvent.click(screen.getByText('7'))
    fireEvent.keyDown(screen.getByText('7').closest('tr') as HTMLElement, { key: 'Enter' })
    expect(onAddress.mock.calls).toEqual([[{ open: '7' }], [{ open: '7' }]])
    cleanup()
    onAddress.mockClear()
    show({ data: page }, { openable: false })
    fireEvent.click(screen.getByText('7'))
    expect(onAddress).not.toHaveBeenCalled()
  })

  it('cuts what is too long, unless the column takes the lines it needs', () => {
    const text = (row: Row) => row.id
    const columns = tableColumns<Row>([{ key: 'name', title: '名称', text }, { key: 'detail', title: '内容', wraps: true, text }], ['name', 'detail'])
    expect(columns.map(({ ellipsis }) => ellipsis)).toEqual([true, false])
  })

  it('gives the focus back to the row whose drawer was closed, unless somebody has it', async () => {
    const open = (key: string | null) => ({ address: { page: 1, pageSize: 20, open: key } })
    const change = show({ data: page }, open('7'))
    const row = screen.getByText('7').closest('tr')
    const field = document.body.appendChild(document.createElement('input'))
    field.focus()
    change(open(null))
    await new Promise((resolve) => setTimeout(resolve))
    expect(document.activeElement).toBe(field)
    field.remove()
    change(open('7'))
    change(open(null))
    await vi.waitFor(() => expect(document.activeElement).toBe(row))
  })

  it('calls the boxes that mark rows in the words of the page', () => {
    show({ data: page }, { selection: { selectedRowKeys: [] }, called: () => '王小明' })
    expect(screen.getAllByRole('checkbox').map((box) => box.getAttribute('aria-label'))).toEqual(
      expect.arrayContaining(['全选本页', '选择 王小明']),
    )
    expect(screen.queryByLabelText(/select/i)).toBeNull()
  })
})

describe('the arrows', () => {
  const press = (key: string, target: EventTarget = document.body) => fireEvent.keyDown(target as Element, { key })

  it('move from the open row to its neighbour, and stop at both ends', () => {
    const go = vi.fn<(key: string) => void>()
    const { rerender } = renderHook(({ open }) => useArrows(['a', 'b', 'c'], open, go), { initialProps: { open: 'b' } })
    press('ArrowDown')
    press('ArrowUp')
    press('Enter')
    rerender({ open: 'c' })
    press('ArrowDown')
    rerender({ open: 'a' })
    press('ArrowUp')
    expect(go.mock.calls).toEqual([['c'], ['a']])
  })

  it('are left to a field, and to the page while no row of the list is open', () => {
    const go = vi.fn<(key: string) => void>()
    const field = document.body.appendChild(document.createElement('input'))
    const initialProps: { open: string | null } = { open: 'a' }
    const { rerender } = renderHook(({ open }) => useArrows(['a', 'b'], open, go), { initialProps })
    press('ArrowDown', field)
    rerender({ open: null })
    press('ArrowDown')
    rerender({ open: 'of another page' })
    press('ArrowDown')
    expect(go).not.toHaveBeenCalled()
    field.remove()
  })
})

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { App, ConfigProvider } from 'antd'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Refusal } from '@/api/client'
import type { AnyList } from '../list/description'
import type { ListAsked } from '../list/ListPage'
import { type CaseView, type ReviewQueue, STALE } from './review'
import { ReviewPage } from './ReviewPage'

interface Case {
  id: string
  state: 0 | 1 | 2
  by: string
  version: number
}

let cases: Case[] = []
let sent: string[] = []

const list: AnyList<Case> & { tabs: NonNullable<AnyList<Case>['tabs']> } = {
  id: 'test-review',
  title: '审核',
  purpose: '',
  path: '/none',
  rowKey: ({ id }) => id,
  emptyText: '都处理完了',
  tabs: {
    name: 'state',
    label: '状态',
    options: [
      { value: '0', label: '待审核' },
      { value: '1', label: '已通过' },
    ],
  },
  filters: [],
  columns: [],
}
const queue: ReviewQueue<Case> = {
  list,
  waiting: '0',
  entry: ({ id, state }) => ({ title: `事项 ${id}`, lines: [], state: { label: String(state), color: '#000000' }, since_ms: 0, waits: state === 0 }),
}
const source = ({ filters }: ListAsked) => {
  const rows = cases.filter(({ state }) => filters.state === undefined || String(state) === filters.state)
  return Promise.resolve({ rows, count: rows.length })
}
const decide = (id: string, version: number, state: 1 | 2, said: string) => {
  sent.push(`${id} ${said}`)
  const known = cases.find((one) => one.id === id)
  if (known?.version !== version) return Promise.reject(new Refusal(STALE, '已被修改'))
  cases = cases.map((one) => (one.id === id ? { ...one, state, by: '我', version: version + 1 } : one))
  return Promise.resolve()
}
const view: CaseView<Case> = {
  category: 'test',
  words: { untitled: '事项', failure: '加载失败', subject: '这件事' },
  overtaken: [],
  load: (id) => Promise.resolve(cases.find((one) => one.id === id) as Case),
  title: ({ id }) => `事项 ${id}`,
  outcome: ({ state, by }) => (state === 0 ? null : { act: state === 1 ? '通过' : '驳回', by, at_ms: null }),
  facts: () => [],
  decisions: ({ id, version, state }) => {
    const unavailable = state === 0 ? undefined : '已处理'
    return [
      { key: 'pass', label: '通过', hotkey: 'a', unavailable, send: () => decide(id, version, 1, '通过') },
      { key: 'fail', label: '驳回', hotkey: 'r', unavailable, reason: { label: '原因', max: 20, phrases: ['照片模糊'] }, send: (reason) => decide(id, version, 2, reason) },
    ]
  },
  children: () => null,
}

function show(address = '/') {
  return render(
    <QueryClientProvider client={new QueryClient()}>
      <ConfigProvider button={{ autoInsertSpace: false }} theme={{ token: { motion: false } }}>
        <App>
          <MemoryRouter initialEntries={[address]}>
            <ReviewPage queue={queue} view={view} source={source} />
          </MemoryRouter>
        </App>
      </ConfigProvider>
    </QueryClientProvider>,
  )
}

const press = (key: string) => fireEvent.keyDown(window, { key })
const opened = (id: string) => screen.findByRole('heading', { name: `事项 ${id}` })
const ready = () => waitFor(() => expect(screen.getByRole('button', { name: '通过' })).toHaveProperty('disabled', false))

beforeEach(() => {
  // jsdom draws nothing and so scrolls nowhere.
  Element.prototype.scrollIntoView = () => undefined
  cases = ['1', '2', '3'].map((id) => ({ id, state: 0, by: '', version: 1 }))
  sent = []
})
afterEach(() => {
  cleanup()
  localStorage.clear()
})

describe('a review queue', () => {
  it('shows the first that waits, walks by J and K, and brings the next one once one is decided', async () => {
    show()
    await opened('1')
    press('j')
    await opened('2')
    press('k')
    await opened('1')
    await ready()
    press('a')
    await opened('2')
    await waitFor(() => expect(screen.queryByRole('button', { name: /事项 1/ })).toBeNull())
    expect(sent).toEqual(['1 通过'])
  })

  it('asks why, with a phrase at hand', async () => {
    show()
    await opened('1')
    await ready()
    press('r')
    const act = await screen.findByRole('dialog', { name: '驳回「事项 1」' })
    const send = Array.from(act.querySelectorAll('button')).find(({ textContent }) => textContent === '驳回') as HTMLButtonElement
    expect(send.disabled).toBe(true)
    fireEvent.click(screen.getByRole('button', { name: '照片模糊' }))
    fireEvent.keyDown(screen.getByLabelText('原因'), { key: 'Enter', ctrlKey: true })
    await opened('2')
    expect(sent).toEqual(['1 照片模糊'])
  })

  it('tells who was faster and goes on, and decides nothing twice', async () => {
    show()
    await opened('1')
    await ready()
    cases = cases.map((one) => (one.id === '1' ? { ...one, state: 1, by: '李审', version: 2 } : one))
    press('a')
    await screen.findByText('「事项 1」已由 李审 通过，未重复处理')
    await opened('2')
    expect(sent).toEqual(['1 通过'])
  })

  it('stays with a case that changed and still waits, for it must be looked at again', async () => {
    show()
    await opened('1')
    await ready()
    cases = cases.map((one) => (one.id === '1' ? { ...one, version: 2 } : one))
    press('a')
    await screen.findByText('内容刚刚有更新，请核对后再决定')
    await opened('1')
    await ready()
    press('a')
    await opened('2')
    expect(sent).toEqual(['1 通过', '1 通过'])
  })

  it('says when all is done, and shows its keys', async () => {
    cases = []
    show()
    await screen.findByText('都处理完了')
    fireEvent.click(screen.getByRole('button', { name: '快捷键' }))
    await screen.findByRole('dialog', { name: '快捷键' })
    cleanup()
    cases = [{ id: '1', state: 0, by: '', version: 1 }]
    show()
    await opened('1')
    press('?')
    expect(await screen.findByRole('dialog', { name: '快捷键' })).not.toBeNull()
  })
})

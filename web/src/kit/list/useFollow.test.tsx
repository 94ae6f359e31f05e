import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import { useMemo } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { noteAsking } from '@/api/askedAt'
import { ACCESS_TOKEN } from '@/api/storage'
import { stopLive } from '@/live/live'
import type { Shown } from './follow'
import { useFollow } from './useFollow'

/** The far end of the websocket. */
class Far extends EventTarget {
  static last: Far
  readyState = 0
  constructor() {
    super()
    Far.last = this
  }
  send() {}
  close() {
    this.readyState = 3
  }
  say(frame: unknown) {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(frame) }))
  }
  begin(quietMs = 0) {
    this.readyState = 1
    this.dispatchEvent(new Event('open'))
    this.say({ op: 'ready', time: Date.now(), instance: 'one' })
    this.say({ op: 'watching', topic: 'read/stall', seq: 0, quietMs })
  }
}

/** What the server holds, and the answers that it has not sent yet. */
let held = '旧'
let answers: (() => void)[] = []
let away = false
let asked = 0

function Stalls() {
  const query = useQuery({
    queryKey: ['/stalls'],
    retry: false,
    queryFn: () => {
      if (away) return Promise.reject(new Error('away'))
      asked += 1
      const read = { text: held, askedAt_ms: performance.now() }
      return new Promise<typeof read>((answer) => answers.push(() => answer(read)))
    },
  })
  const askedAt_ms = query.data?.askedAt_ms
  const shown = useMemo<Shown | null>(() => (askedAt_ms === undefined ? null : { keys: new Set(['1']), askedAt_ms, seen: 0 }), [askedAt_ms])
  useFollow('stall', ['/stalls'], shown)
  return <p>{query.data?.text ?? (query.isError ? '失败' : '加载中')}</p>
}

beforeEach(() => {
  vi.stubGlobal('WebSocket', Far)
  localStorage.setItem(ACCESS_TOKEN, 'tok')
  document.cookie = '_t=sig; Path=/'
  held = '旧'
  answers = []
  away = false
  asked = 0
})

afterEach(() => {
  cleanup()
  stopLive()
  vi.unstubAllGlobals()
  localStorage.clear()
  document.cookie = '_t=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT'
})

const show = () => {
  const client = new QueryClient()
  noteAsking(client.getQueryCache())
  return render(
    <QueryClientProvider client={client}>
      <Stalls />
    </QueryClientProvider>,
  )
}

it('what failed comes by itself when the watch begins', async () => {
  away = true
  show()
  expect(await screen.findByText('失败')).toBeTruthy()
  away = false
  act(() => Far.last.begin())
  await waitFor(() => expect(answers).toHaveLength(1))
  await act(async () => answers.shift()?.())
  expect(await screen.findByText('旧')).toBeTruthy()
})

it('a change between the first answer on its way and the beginning of the watch shows', async () => {
  show()
  await waitFor(() => expect(Far.last).toBeDefined())
  // The answer is made of what was, the watch begins after the change: nobody tells of it.
  held = '新'
  act(() => Far.last.begin())
  await act(async () => answers.shift()?.())
  expect(await screen.findByText('旧')).toBeTruthy()
  await waitFor(() => expect(answers).toHaveLength(1))
  await act(async () => answers.shift()?.())
  expect(await screen.findByText('新')).toBeTruthy()
})

it('what was asked for after the last change is not asked for again when the watch begins', async () => {
  show()
  await waitFor(() => expect(answers).toHaveLength(1))
  act(() => Far.last.begin(60_000))
  await act(async () => answers.shift()?.())
  expect(await screen.findByText('旧')).toBeTruthy()
  // A change that is told is the next that it is asked for.
  held = '新'
  act(() => Far.last.say({ topic: 'read/stall', seq: 1, time: Date.now(), data: { keys: ['1'] } }))
  await waitFor(() => expect(answers).toHaveLength(1))
  await act(async () => answers.shift()?.())
  expect(await screen.findByText('新')).toBeTruthy()
  expect(asked).toBe(2)
})

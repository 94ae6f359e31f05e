import { act, cleanup, fireEvent, render, renderHook, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { HttpError } from '@/api/client'
import type { ConnectionState } from '@/live/connection'
import { useConnectionStore } from '@/live/connection'
import { useStale } from './stale'
import { StaleNote } from './Toolbar'

const rows = { data: { rows: [] }, error: null }
const stale = (query: { data: unknown; error: Error | null }, followed = true) => renderHook(() => useStale(query, followed)).result

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})
const stands = (state: ConnectionState) => act(() => useConnectionStore.getState().set(state, 0))

it('what came and is followed is of now', () => {
  const why = stale(rows)
  stands({ kind: 'live' })
  expect(why.current).toBeNull()
})

it('ERR-007 what could not be asked again is not, in the words of the failure', () => {
  expect(stale({ ...rows, error: new HttpError(0, '网络出现问题，请稍后再试') }).current).toBe('网络出现问题，请稍后再试')
  expect(stale({ data: undefined, error: new HttpError(0, '') }).current).toBeNull()
})

it('nor is what nobody has told of for long', () => {
  const why = stale(rows)
  stands({ kind: 'offline', seconds: 9, reason: '' })
  expect(why.current).toBeNull()
  stands({ kind: 'offline', seconds: 10, reason: '' })
  expect(why.current).toBe('实时连接已断开')
  stands({ kind: 'live' })
  expect(why.current).toBeNull()
})

it('a list that follows nothing does not ask how the connection stands', () => {
  const why = stale(rows, false)
  stands({ kind: 'offline', seconds: 60, reason: '' })
  expect(why.current).toBeNull()
})

it('the note tells how old the figures are, and asks again', () => {
  const retry = vi.fn<() => void>()
  render(<StaleNote why="实时连接已断开" at={1_790_000_000_000} onRetry={retry} />)
  expect(screen.getByRole('status').textContent).toMatch(/实时连接已断开，数据停在 \d\d:\d\d:\d\d/)
  fireEvent.click(screen.getByRole('button', { name: '重试' }))
  expect(retry).toHaveBeenCalledOnce()
})

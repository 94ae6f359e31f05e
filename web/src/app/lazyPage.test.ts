import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CHUNK_TIMEOUT_MS, ChunkLoadError, hasPage, withTimeout } from './lazyPage'
import { routes } from './routes'

describe('pages as chunks', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('CONST-007 ACCESS-018 ERR-011 a chunk that does not come has failed after 120000 ms, as a ChunkLoadError', async () => {
    const failed = vi.fn<(error: unknown) => void>()
    withTimeout(() => new Promise(() => {}), CHUNK_TIMEOUT_MS).catch(failed)
    await vi.advanceTimersByTimeAsync(119_999)
    expect(failed).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(failed).toHaveBeenCalledWith(expect.any(ChunkLoadError))
    expect(failed.mock.calls[0]?.[0]).toMatchObject({ name: 'ChunkLoadError' })
  })

  it('ACCESS-017 every page of the route table has a chunk', () => {
    const pages = routes.flatMap(({ page }) => page ?? [])
    expect(pages.filter((page) => !hasPage(page))).toEqual([])
    expect(hasPage('features/nothing/NothingPage')).toBe(false)
  })
})

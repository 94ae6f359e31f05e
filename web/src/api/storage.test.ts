import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { clearSignature, saveSignature } from './storage'

const written = vi.fn<(cookie: string) => void>()

beforeEach(() => {
  written.mockClear()
  vi.spyOn(document, 'cookie', 'set').mockImplementation(written)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  localStorage.clear()
})

/** Name, value and flags of each cookie that was written. */
const cookies = () =>
  written.mock.calls.map(([cookie]) => {
    const [named = '', ...flags] = cookie.split('; ')
    return { named, flags: flags.toSorted() }
  })

describe('the two signature cookies', () => {
  it.each([
    ['http:', ['Max-Age=172800', 'Path=/', 'SameSite=Lax']],
    ['https:', ['Max-Age=172800', 'Path=/', 'SameSite=Lax', 'Secure']],
  ])('CONST-006 over %s they are kept for two days, for this site alone, and sent no other way', (protocol, flags) => {
    vi.stubGlobal('location', { protocol })
    saveSignature({ _t: 'a b', _k: 'k=;' }, 0)
    expect(cookies()).toEqual([
      { named: '_t=a%20b', flags },
      { named: '_k=k%3D%3B', flags },
    ])
  })

  it.each([
    ['http:', []],
    ['https:', ['Secure']],
  ])('over %s they go by the flags that they came with', (protocol, secure) => {
    vi.stubGlobal('location', { protocol })
    clearSignature()
    const flags = ['Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'Max-Age=0', 'Path=/', 'SameSite=Lax', ...secure]
    expect(cookies()).toEqual([
      { named: '_t=', flags },
      { named: '_k=', flags },
    ])
  })
})

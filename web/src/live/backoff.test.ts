import { describe, expect, it } from 'vitest'

import { backoffMs, mayResume } from './backoff'
import { isStale } from './connection'
import { socketUrl } from './live'
import { readTotals } from './totals'

describe('the pause before another attempt', () => {
  it('doubles up to twenty seconds', () => {
    expect([0, 1, 2, 5, 6, 40].map((failures) => backoffMs(failures, 0.999_999))).toEqual([500, 1_000, 2_000, 16_000, 20_000, 20_000])
  })
  it('is never less than half of it', () => {
    expect(backoffMs(3, 0)).toBe(2_000)
  })
})

describe('a resume', () => {
  it('is asked for after a short loss only', () => {
    expect(mayResume(100_000, 5_000)).toBe(true)
    expect(mayResume(100_000, 31_000)).toBe(false)
    expect(mayResume(100_000, Number.POSITIVE_INFINITY)).toBe(false)
    expect(mayResume(undefined, 10)).toBe(false)
  })
})

describe('what is on the screen', () => {
  it('is stale from ten seconds on', () => {
    expect(isStale({ kind: 'delayed', seconds: 9 })).toBe(false)
    expect(isStale({ kind: 'delayed', seconds: 10 })).toBe(true)
    expect(isStale({ kind: 'offline', seconds: 11, reason: '' })).toBe(true)
    expect(isStale({ kind: 'live' })).toBe(false)
  })
})

describe('the address of the socket', () => {
  it('is on this origin unless the configuration names a host', () => {
    expect(socketUrl('', 'http://10.0.0.5:8080')).toBe('ws://10.0.0.5:8080/ebike/v3/backend/ws')
    expect(socketUrl('', 'https://ops.example')).toBe('wss://ops.example/ebike/v3/backend/ws')
    expect(socketUrl('https://api.example/base/', 'http://ops.example')).toBe('wss://api.example/base/ebike/v3/backend/ws')
  })
})

describe('totals', () => {
  it('are read from a frame', () => {
    const totals = readTotals({ states: [1, 2, 3, 4, 5, 6, 7, 8, 9], shelved: 36, rentable: 1, online: 28, low: 5, alarm: 9 })
    expect(totals).toMatchObject({ shelved: 36, alarm: 9, states: [1, 2, 3, 4, 5, 6, 7, 8, 9] })
  })
  it('without eight states are no totals', () => {
    expect(readTotals({ states: [1, 2] })).toBeNull()
    expect(readTotals(null)).toBeNull()
  })
})

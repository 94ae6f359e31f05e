import { afterEach, describe, expect, it } from 'vitest'
import { learnTime, serverNow } from './clock'

const NOW = Date.parse('2026-11-20T02:00:00Z')
const HOUR_MS = 3_600_000
const answer = (at: number, cached: string) => new Headers({ Date: new Date(at).toUTCString(), 'Cache-Control': cached })
const ahead = () => Math.round((serverNow() - Date.now()) / 1000)

describe("the server's time", () => {
  afterEach(() => learnTime(answer(NOW, 'no-store'), NOW))

  it('is that of its last answer, when this clock is wrong', () => {
    learnTime(answer(NOW + HOUR_MS, 'no-store'), NOW)
    expect(ahead()).toBe(3600)
    learnTime(answer(NOW + 2000, 'no-store'), NOW)
    expect(ahead()).toBe(0)
  })

  it('is not that of an answer that a cache has kept', () => {
    learnTime(answer(NOW - HOUR_MS, 'private, max-age=3600'), NOW)
    expect(ahead()).toBe(0)
    learnTime(new Headers({ Date: new Date(NOW - HOUR_MS).toUTCString() }), NOW)
    expect(ahead()).toBe(0)
  })
})

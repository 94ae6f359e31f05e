import { afterEach, beforeEach, expect, it, vi } from 'vitest'

import { ACCESS_TOKEN } from '@/api/storage'

import { bikeBuffer, markBuffer } from './frames.fixture'

/** The far end of the tab's websocket. */
class Far extends EventTarget {
  static last: Far
  binaryType = ''
  readyState = 1
  readonly sent: Record<string, unknown>[] = []
  constructor() {
    super()
    Far.last = this
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>)
  }
  close(): void {
    this.readyState = 3
  }
  say(frame: unknown): void {
    this.dispatchEvent(new MessageEvent('message', { data: frame instanceof ArrayBuffer ? frame : JSON.stringify(frame) }))
  }
  ready(): void {
    this.dispatchEvent(new Event('open'))
    this.say({ op: 'ready', time: Date.now(), instance: 'one' })
  }
  /** The watch of the fleet that was sent last. */
  watch(): Record<string, unknown> | undefined {
    return this.sent.findLast(({ topic }) => topic === 'fleet')
  }
}

const here = { bbox: [118, 24, 118.2, 24.2], zoom: 14 } as const
const there = { bbox: [119, 25, 119.2, 25.2], zoom: 14 } as const

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('WebSocket', Far)
  localStorage.setItem(ACCESS_TOKEN, 'token')
  document.cookie = '_t=t'
})
afterEach(async () => {
  const { stopLive } = await import('./live')
  stopLive()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  localStorage.removeItem(ACCESS_TOKEN)
  document.cookie = '_t=; max-age=0'
})

/** Looks `here`, of which a whole picture has come up to tick 812. */
async function looking() {
  const live = await import('./live')
  const leave = live.watchFleet()
  live.lookAt(here)
  vi.advanceTimersByTime(10)
  Far.last.ready()
  vi.advanceTimersByTime(10)
  Far.last.say({ op: 'watching', topic: 'fleet', seq: 812 })
  for (const buffer of [markBuffer(2, 812), bikeBuffer(3, [{ slot: 1 }], 812), markBuffer(4, 812)]) Far.last.say(buffer)
  return { ...live, leave }
}

/** The connection dies, and another one stands. */
function comeAgain(): void {
  const before = Far.last
  before.dispatchEvent(Object.assign(new Event('close'), { code: 1006 }))
  vi.advanceTimersByTime(1_000)
  expect(Far.last).not.toBe(before)
  Far.last.ready()
  vi.advanceTimersByTime(10)
}

it('the same view goes on from the tick before the last', async () => {
  const { leave } = await looking()
  comeAgain()
  expect(Far.last.watch()).toMatchObject({ bbox: here.bbox, since: 811, instance: 'one' })
  leave()
})

it('a view that was asked for while the network died is sent whole', async () => {
  const { leave, lookAt } = await looking()
  lookAt(there)
  vi.advanceTimersByTime(10)
  expect(Far.last.watch()).toMatchObject({ bbox: there.bbox })
  comeAgain()
  expect(Far.last.watch()).toMatchObject({ bbox: there.bbox })
  expect(Far.last.watch()).not.toHaveProperty('since')
  leave()
})

it('a picture that did not come to its end is sent whole', async () => {
  const { leave } = await looking()
  Far.last.say(markBuffer(2, 820))
  Far.last.say(bikeBuffer(3, [{ slot: 1 }], 820))
  comeAgain()
  expect(Far.last.watch()).not.toHaveProperty('since')
  leave()
})

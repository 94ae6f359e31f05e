import { beforeEach, describe, expect, it } from 'vitest'

import { LiveSocket } from './socket'

/** The far end of one websocket, and a clock and a die in the test's hand. */
class Far extends EventTarget {
  static readonly opened: Far[] = []
  binaryType = ''
  readyState = 0
  readonly sent: Record<string, unknown>[] = []
  constructor() {
    super()
    Far.opened.push(this)
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>)
  }
  close(code = 1000): void {
    this.drop(code)
  }
  open(): void {
    this.readyState = 1
    this.dispatchEvent(new Event('open'))
  }
  say(frame: unknown): void {
    const data = frame instanceof ArrayBuffer ? frame : JSON.stringify(frame)
    this.dispatchEvent(new MessageEvent('message', { data }))
  }
  drop(code: number): void {
    if (this.readyState === 3) return
    this.readyState = 3
    this.dispatchEvent(Object.assign(new Event('close'), { code }))
  }
}

class World {
  time = 1_000_000
  signedIn: { token: string; t: string } | null = { token: 'tok', t: 'sig' }
  readonly ready: number[] = []
  readonly ended: string[] = []
  readonly zooms: number[] = []
  private timers: { id: number; at: number; run: () => void }[] = []
  private nextId = 1
  readonly socket = new LiveSocket(
    {
      open: () => new Far() as unknown as WebSocket,
      credentials: () => this.signedIn,
      now: () => this.time,
      random: () => 0.5,
      after: (ms, run) => {
        this.nextId += 1
        this.timers.push({ id: this.nextId, at: this.time + ms, run })
        return this.nextId
      },
      cancel: (id) => {
        this.timers = this.timers.filter((timer) => timer.id !== id)
      },
    },
    {
      binary: () => 0,
      ready: (awayMs) => this.ready.push(awayMs),
      looking: ({ zoom }) => this.zooms.push(zoom),
      ended: (code) => this.ended.push(code),
    },
  )
  pass(ms: number): void {
    const end = this.time + ms
    for (;;) {
      const due = this.timers.filter((timer) => timer.at <= end).toSorted((a, b) => a.at - b.at)[0]
      if (due === undefined) break
      this.timers = this.timers.filter((timer) => timer !== due)
      this.time = Math.max(this.time, due.at)
      due.run()
    }
    this.time = end
  }
  /** Connects and answers the authentication. */
  connect(instance = 'one'): Far {
    this.pass(0)
    const far = last()
    far.open()
    far.say({ op: 'ready', time: this.time + 500, instance })
    return far
  }
}

function last(): Far {
  const far = Far.opened.at(-1)
  if (far === undefined) throw new Error('nothing was opened')
  return far
}

const nobody = { data: () => {} }

beforeEach(() => {
  Far.opened.length = 0
})

describe('the live socket', () => {
  it('opens only when somebody watches, and authenticates before anything else', () => {
    const world = new World()
    world.pass(60_000)
    expect(Far.opened).toHaveLength(0)
    world.socket.watch('read/role', nobody)
    world.pass(0)
    last().open()
    expect(last().sent).toEqual([{ op: 'auth', token: 'tok', t: 'sig' }])
    last().say({ op: 'ready', time: world.time, instance: 'one' })
    expect(last().sent.slice(1)).toEqual([{ op: 'watch', topic: 'read/role' }, { op: 'ping' }])
    expect(world.socket.state()).toEqual({ kind: 'live' })
  })

  it('SEL-008 comes again at once with the token of another selection, and resumes nothing', () => {
    const world = new World()
    let begun = 0
    world.socket.watch('read/role', { ...nobody, begun: () => { begun += 1 } })
    const before = world.connect()
    before.say({ op: 'watching', topic: 'read/role', seq: 0 })
    expect(begun).toBe(1)
    world.signedIn = { token: 'narrower', t: 'sig' }
    world.socket.again()
    expect(before.readyState).toBe(3)
    world.connect()
    expect(Far.opened).toHaveLength(2)
    expect(last().sent[0]).toEqual({ op: 'auth', token: 'narrower', t: 'sig' })
    expect(last().sent).toContainEqual({ op: 'watch', topic: 'read/role' })
    expect(world.ready.at(-1)).toBe(Number.POSITIVE_INFINITY)
    expect(begun).toBe(1)
    last().say({ op: 'watching', topic: 'read/role', seq: 0 })
    expect(begun).toBe(2)
    expect(world.ended).toEqual([])
  })

  it('SEL-008 a connection that is still opening is let open, and shows the token of the new selection', () => {
    const world = new World()
    world.socket.watch('read/role', nobody)
    world.pass(0)
    world.signedIn = { token: 'narrower', t: 'sig' }
    world.socket.again()
    last().open()
    expect(Far.opened).toHaveLength(1)
    expect(last().sent[0]).toEqual({ op: 'auth', token: 'narrower', t: 'sig' })
  })

  it('a session that ends while its connection is opening lets it open, says nothing there and closes it', () => {
    const world = new World()
    world.socket.watch('read/role', nobody)
    world.pass(0)
    const far = last()
    world.socket.stop()
    expect(far.readyState).toBe(0)
    far.open()
    expect(far.sent).toEqual([])
    expect(far.readyState).toBe(3)
    world.pass(60_000)
    expect(Far.opened).toHaveLength(1)
  })

  it('comes back by itself with growing pauses and watches again what was watched', () => {
    const world = new World()
    let begun = 0
    world.socket.watch('read/role', { ...nobody, begun: () => { begun += 1 } })
    world.connect().drop(1006)
    const pauses: number[] = []
    for (let attempt = 0; attempt < 4; attempt += 1) {
      const before = Far.opened.length
      const from = world.time
      while (Far.opened.length === before) world.pass(1)
      pauses.push(world.time - from)
      if (attempt < 3) last().drop(1006)
    }
    expect(pauses).toEqual([375, 750, 1_500, 3_000])
    last().open()
    last().say({ op: 'ready', time: world.time, instance: 'one' })
    expect(last().sent).toContainEqual({ op: 'watch', topic: 'read/role' })
    last().say({ op: 'watching', topic: 'read/role', seq: 0 })
    expect(begun).toBe(1)
    expect(world.ready).toEqual([Number.POSITIVE_INFINITY, 375 + 750 + 1_500 + 3_000])
  })

  it('resumes at the process that it left, and tells it so', () => {
    const world = new World()
    world.socket.watch('fleet', nobody)
    world.connect().drop(1006)
    world.pass(1_000)
    world.socket.look({ bbox: [0, 0, 1, 1], zoom: 14 }, 812)
    const far = world.connect()
    expect(far.sent).toContainEqual({ op: 'watch', topic: 'fleet', bbox: [0, 0, 1, 1], zoom: 14, since: 812, instance: 'one' })
    expect(world.ready.at(-1)).toBeLessThan(30_000)
  })

  it('that slept asks anew: what counts is when it was last heard', () => {
    const world = new World()
    world.socket.watch('fleet', nobody)
    const far = world.connect()
    const slept = 8 * 3_600_000
    world.time += slept
    far.drop(1006)
    world.pass(1_000)
    world.connect()
    expect(world.ready.at(-1)).toBeGreaterThanOrEqual(slept)
  })

  it('resumes nothing at another process, whatever made it come there', () => {
    const world = new World()
    world.socket.watch('fleet', nobody)
    world.connect('one').drop(1006)
    world.pass(1_000)
    const far = world.connect('two')
    far.say({ op: 'bye', code: 'draining', promot: '服务升级' })
    far.drop(1012)
    world.pass(1_000)
    world.connect('three')
    expect(world.ready).toEqual([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY])
  })

  it('comes back with the renewed token when the old one has ended by age', () => {
    const world = new World()
    world.socket.watch('fleet', nobody)
    const far = world.connect()
    world.signedIn = { token: 'renewed', t: 'sig' }
    far.say({ op: 'bye', code: 'expired', promot: '登录已到期，请重新登录' })
    far.drop(4401)
    world.pass(1_000)
    expect(Far.opened).toHaveLength(2)
    last().open()
    expect(last().sent[0]).toEqual({ op: 'auth', token: 'renewed', t: 'sig' })
  })

  it('waits for another token when its own has ended by age', () => {
    const world = new World()
    world.socket.watch('fleet', nobody)
    const far = world.connect()
    far.say({ op: 'bye', code: 'expired', promot: '登录已到期，请重新登录' })
    far.drop(4401)
    world.pass(60_000)
    expect(Far.opened).toHaveLength(1)
    expect(world.ended).toEqual(['expired'])
  })

  it('comes back with the same token when only the scope has changed', () => {
    const world = new World()
    world.socket.watch('fleet', nobody)
    const far = world.connect()
    far.say({ op: 'bye', code: 'scope_changed', promot: '账号的权限或数据范围已变更，正在重新连接' })
    far.drop(4401)
    world.pass(1_000)
    expect(Far.opened).toHaveLength(2)
    expect(world.ended).toEqual([])
  })

  it('does not come back with a token the server has ended, but does with a new one', () => {
    const world = new World()
    world.socket.watch('fleet', nobody)
    const far = world.connect()
    far.say({ op: 'bye', code: 'disabled', promot: '账号已停用' })
    far.drop(4403)
    world.pass(60_000)
    expect(Far.opened).toHaveLength(1)
    expect(world.ended).toEqual(['disabled'])
    expect(world.socket.state()).toMatchObject({ kind: 'offline', reason: '账号已停用' })
    world.signedIn = { token: 'new', t: 'sig' }
    world.pass(3_000)
    expect(Far.opened).toHaveLength(2)
  })

  it('closes a connection that has gone silent and opens another', () => {
    const world = new World()
    world.socket.watch('fleet', nobody)
    world.connect()
    world.pass(21_000)
    expect(Far.opened.length).toBeGreaterThan(1)
  })

  it('keeps a quiet connection alive as long as pings are answered', () => {
    const world = new World()
    world.socket.watch('fleet', nobody)
    const far = world.connect()
    for (let second = 0; second < 60; second += 1) {
      world.pass(1_000)
      if (far.sent.at(-1)?.op === 'ping') far.say({ op: 'pong', time: world.time })
    }
    expect(Far.opened).toHaveLength(1)
    expect(world.socket.state()).toEqual({ kind: 'live' })
  })

  it('learns how far the server clock is ahead, half of the way there taken off', () => {
    const world = new World()
    world.socket.watch('fleet', nobody)
    const far = world.connect()
    world.pass(100)
    far.say({ op: 'pong', time: world.time - 50 + 7_000 })
    expect(world.socket.clock.offsetMs).toBe(7_000)
  })

  it('says for how long no newer data has come', () => {
    const world = new World()
    world.socket.watch('fleet', nobody)
    const far = world.connect()
    far.say({ op: 'pong', time: world.time })
    world.time += 8_400
    expect(world.socket.state()).toMatchObject({ kind: 'delayed' })
    far.drop(1006)
    world.time += 12_000
    expect(world.socket.state()).toMatchObject({ kind: 'offline', seconds: 19 })
  })

  it('answers who is in a slot, and null when the connection is lost meanwhile', async () => {
    const world = new World()
    world.socket.watch('fleet', nobody)
    const far = world.connect()
    const known = world.socket.who(17)
    far.say({ op: 'who', slot: 17, n: 1, carId: 'A0001' })
    expect(await known).toBe('A0001')
    const unknown = world.socket.who(18)
    far.drop(1006)
    expect(await unknown).toBeNull()
  })

  it('gives each topic its data and survives frames that are none', () => {
    const world = new World()
    const seen: unknown[] = []
    world.socket.watch('vehicle/A1', { data: (data) => seen.push(data) })
    const far = world.connect()
    far.dispatchEvent(new MessageEvent('message', { data: '{not json' }))
    far.say([1, 2])
    far.say({ op: 'news' })
    far.say({ topic: 'vehicle/A1', seq: 3, time: world.time, data: { soc: 12 } })
    expect(seen).toEqual([{ soc: 12 }])
  })

  it('tells which zoom the fleet frames that follow belong to', () => {
    const world = new World()
    world.socket.watch('fleet', nobody)
    world.socket.look({ bbox: [0, 0, 1, 1], zoom: 11 })
    const far = world.connect()
    world.socket.look({ bbox: [0, 0, 1, 1], zoom: 10 })
    world.pass(0)
    expect(world.zooms).toEqual([])
    far.say({ op: 'watching', topic: 'read/role', seq: 1 })
    far.say({ op: 'watching', topic: 'fleet', seq: 1 })
    expect(world.zooms).toEqual([11])
    far.say({ op: 'watching', topic: 'fleet', seq: 2 })
    expect(world.zooms).toEqual([11, 10])
  })

  it('reaches nobody after it was stopped', () => {
    const world = new World()
    world.socket.watch('fleet', nobody)
    world.connect()
    world.socket.stop()
    world.pass(120_000)
    expect(Far.opened).toHaveLength(1)
    expect(last().readyState).toBe(3)
  })
})

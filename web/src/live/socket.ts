import { backoffMs } from './backoff'
import { type ClientMessage, readMessage, type ServerMessage, type Viewport } from './messages'
import { ClockOffset } from './clockOffset'
import { connectionState, type ConnectionState } from './connection'
import { TopicDesk, type TopicListener } from './topics'

/** What a session is known by. */
export interface Credentials {
  readonly token: string
  readonly t: string
}

/** The world outside, given in so that time and chance are arguments. */
export interface Surroundings {
  /** Opens a socket to the server. */
  open(): WebSocket
  /** The credentials of this browser, null when nobody is signed in. */
  credentials(): Credentials | null
  now(): number
  random(): number
  after(ms: number, run: () => void): number
  cancel(timer: number): void
}

/** What the owner of the connection is told. */
export interface SocketEvents {
  /** A binary frame arrived at local time `now`; the answer is its server time, 0 when unusable. */
  binary(buffer: ArrayBuffer, now: number): number
  /** The connection stands again, `awayMs` after the last one was heard (Infinity the first time, or for a new server). */
  ready(awayMs: number): void
  /** What follows of the fleet was cut for `viewport`. */
  looking(viewport: Viewport): void
  /** The session was ended by the server; nothing is tried until the credentials change. */
  ended(code: string, promot: string): void
}

const PING_EVERY_MS = 4_000
const SILENCE_LIMIT_MS = 12_000
const OPEN_LIMIT_MS = 10_000
const CREDENTIALS_POLL_MS = 2_000
const WHO_LIMIT_MS = 3_000
const WHO_PENDING_LIMIT = 16
/** Frames sent at once, and how long the rest waits: the server allows 50 a second. */
const BURST = 16
const BURST_PAUSE_MS = 500

/** Codes of a farewell after which this session is of no more use. */
const FINAL = new Set(['signed_out', 'expired', 'disabled', 'auth_refused'])
const FINAL_CLOSE = new Set([4401, 4403])

interface Question {
  readonly answer: (carIds: readonly (string | null)[]) => void
  readonly timer: number
}

/** Closes a socket in order. One that is still opening opens first: browsers call its closing an error of the page. */
function hangUp(socket: WebSocket): void {
  if (socket.readyState === 0) socket.addEventListener('open', () => socket.close(1000))
  else socket.close(1000)
}

/**
 * The one websocket of a tab. It stays connected as long as someone watches a topic, comes back by
 * itself after a loss, and sends what is wanted rather than what was asked: after any interruption
 * the wanted topics are brought in line with what the server was told.
 */
export class LiveSocket {
  readonly clock = new ClockOffset()
  private readonly desk = new TopicDesk()
  private socket: WebSocket | null = null
  private authenticated = false
  private failures = 0
  private lostAt: number
  private everReady = false
  /** The server process that answered last; '' when nothing of it may be resumed. */
  private instance = ''
  private newestMs = 0
  private heardAt = 0
  private pingSentAt = 0
  private reason = ''
  /** Whether the server said why it closes, and what follows from that is done. */
  private farewellSaid = false
  private refusedToken: string | null = null
  private reconnectTimer: number | null = null
  private limitTimer: number | null = null
  private flushTimer: number | null = null
  private readonly questions = new Map<number, Question>()
  private nextQuestion = 1

  constructor(
    private readonly outside: Surroundings,
    private readonly events: SocketEvents,
  ) {
    this.lostAt = outside.now()
  }

  /** How fresh the data is now. */
  state(): ConnectionState {
    const fresh = { connected: this.authenticated, lostAt: this.lostAt, newestMs: this.newestMs, reason: this.reason }
    return connectionState(fresh, this.outside.now(), this.clock.offsetMs)
  }

  /** Whether the server has accepted this session's connection. */
  get connected(): boolean {
    return this.authenticated
  }

  /** Watches `topic` until the answer is called; the server is told once however many listen. */
  watch(topic: string, listener: TopicListener): () => void {
    const leave = this.desk.listen(topic, listener)
    this.flushSoon()
    this.connectSoon(0)
    let left = false
    return () => {
      if (left) return
      left = true
      leave()
      this.flushSoon()
    }
  }

  /** Says what the fleet topic looks at; null stops it although someone listens. */
  look(viewport: Viewport | null, since?: number): void {
    this.desk.look(viewport, since === undefined ? undefined : { since, instance: this.instance })
    this.flushSoon()
  }

  /** Says that what was received of the fleet is forgotten, so that even the same view is sent whole. */
  lookAnew(): void {
    this.desk.lookAnew()
    this.flushSoon()
  }

  /** Which bike is in a slot; null when unknown, out of scope or not answered in time. */
  async who(slot: number): Promise<string | null> {
    const [carId] = await this.ask((n) => ({ op: 'who', slot, n }))
    return carId ?? null
  }

  /** Which bikes are in slots, at most 5,000 of them, in their order; empty when there is no answer in time. */
  whoAll(slots: readonly number[]): Promise<readonly (string | null)[]> {
    return this.ask((n) => ({ op: 'who', slots, n }))
  }

  private ask(question: (n: number) => ClientMessage): Promise<readonly (string | null)[]> {
    if (!this.authenticated || this.questions.size >= WHO_PENDING_LIMIT) return Promise.resolve([])
    const n = this.nextQuestion
    this.nextQuestion += 1
    return new Promise((answer) => {
      const timer = this.outside.after(WHO_LIMIT_MS, () => this.answer(n, []))
      this.questions.set(n, { answer, timer })
      this.send(question(n))
    })
  }

  /** Closes the connection and forgets the session's state; watching again opens a new one. */
  stop(): void {
    this.clearTimers()
    this.dropQuestions()
    const socket = this.socket
    this.socket = null
    this.authenticated = false
    this.everReady = false
    this.newestMs = 0
    this.reason = ''
    this.failures = 0
    this.lostAt = this.outside.now()
    this.desk.forgetTold()
    if (socket !== null) hangUp(socket)
  }

  /** Comes again with the credentials of now: what one may see has changed, so nothing is resumed. */
  again(): void {
    const { socket } = this
    this.instance = ''
    // One that is still opening will show the credentials of that moment.
    if (socket === null || socket.readyState === 0) return
    this.clearTimers()
    this.dropQuestions()
    this.socket = null
    if (this.authenticated) this.lostAt = this.heardAt
    this.authenticated = false
    this.failures = 0
    this.desk.forgetTold()
    socket.close(1000)
    this.connectSoon(0)
  }

  /** Tries at once, for a browser that came back to the network or to the foreground. */
  hurry(): void {
    if (this.socket !== null) return
    this.failures = 0
    this.connectSoon(0)
  }

  private connectSoon(ms: number): void {
    if (this.socket !== null) return
    if (this.reconnectTimer !== null) {
      if (ms > 0) return
      this.outside.cancel(this.reconnectTimer)
    }
    this.reconnectTimer = this.outside.after(ms, () => {
      this.reconnectTimer = null
      this.connect()
    })
  }

  private connect(): void {
    if (this.socket !== null || !this.desk.wanted()) return
    const credentials = this.outside.credentials()
    if (credentials === null || credentials.token === this.refusedToken) {
      this.connectSoon(CREDENTIALS_POLL_MS)
      return
    }
    this.refusedToken = null
    let socket: WebSocket
    try {
      socket = this.outside.open()
    } catch {
      this.retry()
      return
    }
    this.socket = socket
    this.farewellSaid = false
    socket.binaryType = 'arraybuffer'
    this.heardAt = this.outside.now()
    let shown = credentials
    socket.addEventListener('open', () => {
      if (this.socket !== socket) return
      // They may have changed on the way.
      shown = this.outside.credentials() ?? credentials
      this.send({ op: 'auth', ...shown })
    })
    socket.addEventListener('message', (event: MessageEvent<unknown>) => {
      if (this.socket === socket) this.receive(event.data, shown)
    })
    socket.addEventListener('close', (event) => {
      if (this.socket === socket) this.lost(event.code, shown)
    })
    this.limit(OPEN_LIMIT_MS)
  }

  private receive(data: unknown, credentials: Credentials): void {
    const now = this.outside.now()
    this.heardAt = now
    if (data instanceof ArrayBuffer) {
      this.heardTime(this.events.binary(data, now), now)
      return
    }
    if (typeof data !== 'string') return
    const message = readMessage(data)
    if (message !== null) this.handle(message, now, credentials)
  }

  private handle(message: ServerMessage, now: number, credentials: Credentials): void {
    switch (message.op) {
      case 'ready':
        this.heardTime(message.time, now)
        this.becomeReady(message.instance, now)
        break
      case 'pong':
        this.clock.answered(message.time, this.pingSentAt, now)
        this.heardTime(message.time, now)
        break
      case 'who':
        this.answer(message.n, [message.carId])
        break
      case 'whoAll':
        this.answer(message.n, message.carIds)
        break
      case 'error':
        this.desk.refused(message.topic, message.promot)
        break
      case 'watching': {
        const viewport = this.desk.accepted(message.topic, message.quietMs)
        if (viewport !== undefined) this.events.looking(viewport)
        break
      }
      case 'bye':
        this.farewell(message.code, message.promot, credentials)
        break
      case 'data':
        this.heardTime(message.time, now)
        this.desk.deliver(message.topic, message.data, message.seq)
        break
    }
  }

  private becomeReady(instance: string, now: number): void {
    const same = this.everReady && instance !== '' && instance === this.instance
    const awayMs = same ? now - this.lostAt : Number.POSITIVE_INFINITY
    this.authenticated = true
    this.everReady = true
    this.instance = instance
    this.failures = 0
    this.reason = ''
    this.desk.forgetTold()
    this.events.ready(awayMs)
    this.flush()
    this.limit(PING_EVERY_MS)
    this.ping(now)
  }

  private farewell(code: string, promot: string, credentials: Credentials): void {
    this.reason = promot
    this.farewellSaid = true
    if (code === 'scope_changed') this.instance = ''
    if (FINAL.has(code)) this.endSession(code, promot, credentials)
  }

  private endSession(code: string, promot: string, credentials: Credentials): void {
    if (this.refusedToken === credentials.token) return
    this.refusedToken = credentials.token
    this.events.ended(code, promot)
  }

  private lost(code: number, credentials: Credentials): void {
    const wasReady = this.authenticated
    this.socket = null
    this.authenticated = false
    // A browser that slept notices hours later.
    if (wasReady) this.lostAt = this.heardAt
    this.clearTimers()
    this.dropQuestions()
    this.desk.forgetTold()
    // `scope_changed` closes with the same number, and wants the connection back.
    if (FINAL_CLOSE.has(code) && !this.farewellSaid) this.endSession(code === 4403 ? 'disabled' : 'signed_out', this.reason, credentials)
    this.retry()
  }

  private retry(): void {
    if (!this.desk.wanted()) return
    this.connectSoon(backoffMs(this.failures, this.outside.random()))
    this.failures += 1
  }

  /** One timer watches the life of the connection: first that it opens, then that it is answered. */
  private limit(ms: number): void {
    if (this.limitTimer !== null) this.outside.cancel(this.limitTimer)
    this.limitTimer = this.outside.after(ms, () => {
      this.limitTimer = null
      const now = this.outside.now()
      const socket = this.socket
      if (socket === null) return
      if (!this.authenticated || now - this.heardAt > SILENCE_LIMIT_MS) {
        socket.close()
        // A dead network does not tell of the close for minutes.
        this.lost(1006, { token: '', t: '' })
        return
      }
      this.ping(now)
      this.limit(PING_EVERY_MS)
    })
  }

  private ping(now: number): void {
    this.pingSentAt = now
    this.send({ op: 'ping' })
  }

  private heardTime(serverMs: number, now: number): void {
    if (serverMs <= 0) return
    this.clock.arrived(serverMs, now)
    if (serverMs > this.newestMs || serverMs < this.newestMs - 60_000) this.newestMs = serverMs
  }

  private flushSoon(): void {
    if (this.flushTimer !== null || !this.authenticated) return
    this.flushTimer = this.outside.after(0, () => {
      this.flushTimer = null
      this.flush()
    })
  }

  private flush(): void {
    if (!this.authenticated) return
    const { frames, more } = this.desk.due(BURST)
    for (const frame of frames) this.send(frame)
    if (more && this.flushTimer === null) {
      this.flushTimer = this.outside.after(BURST_PAUSE_MS, () => {
        this.flushTimer = null
        this.flush()
      })
    }
  }

  private send(message: ClientMessage): void {
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(message))
  }

  private answer(n: number, carIds: readonly (string | null)[]): void {
    const question = this.questions.get(n)
    if (question === undefined) return
    this.questions.delete(n)
    this.outside.cancel(question.timer)
    question.answer(carIds)
  }

  private dropQuestions(): void {
    for (const n of this.questions.keys()) this.answer(n, [])
  }

  private clearTimers(): void {
    for (const timer of [this.reconnectTimer, this.limitTimer, this.flushTimer]) {
      if (timer !== null) this.outside.cancel(timer)
    }
    this.reconnectTimer = null
    this.limitTimer = null
    this.flushTimer = null
  }
}

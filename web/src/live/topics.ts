import type { ClientMessage, Resume, Viewport } from './messages'

/** The server's limit of topics for one socket. */
export const TOPIC_LIMIT = 64
export const FLEET = 'fleet'

/** Someone who watches a topic. */
export interface TopicListener {
  data(data: unknown, seq: number): void
  /**
   * From now on the server tells of changes; what happened in the last `quiet_ms`, as far as it knows, was nothing, and
   * what happened before may have gone unseen. Said again after a loss.
   */
  begun?(quiet_ms: number): void
  /** The server refused the topic; `promot` is for the user. */
  refused?(promot: string): void
}

/** Frames to send now, and whether there are more for later. */
export interface Due {
  readonly frames: readonly ClientMessage[]
  readonly more: boolean
}

/**
 * Who wants which topic, and what the server has been told: the difference is what is due. Quick
 * changes of mind cancel out before anything is sent.
 */
export class TopicDesk {
  private readonly listeners = new Map<string, Set<TopicListener>>()
  private readonly told = new Map<string, string>()
  /** Topics that the server has accepted. */
  private readonly begun = new Set<string>()
  private viewport: Viewport | null = null
  /** Viewports of fleet watches that were sent and not yet answered, in order. */
  private asked: Viewport[] = []
  private resume: Resume | undefined

  /** Adds a listener; the answer removes it. */
  listen(topic: string, listener: TopicListener): () => void {
    const set = this.listeners.get(topic) ?? new Set()
    set.add(listener)
    this.listeners.set(topic, set)
    if (this.begun.has(topic)) listener.begun?.(0)
    if (this.listeners.size > TOPIC_LIMIT) listener.refused?.(`同时关注的内容超过 ${TOPIC_LIMIT} 项，请关闭一些页面`)
    return () => {
      set.delete(listener)
      if (set.size === 0 && this.listeners.get(topic) === set) this.listeners.delete(topic)
    }
  }

  /** What the fleet topic looks at, and from which tick the next watch may resume. */
  look(viewport: Viewport | null, resume?: Resume): void {
    this.viewport = viewport
    this.resume = resume
  }

  /** What was received of the fleet is forgotten: even the same view needs a snapshot. */
  lookAnew(): void {
    if (this.told.has(FLEET)) this.told.set(FLEET, '')
    this.resume = undefined
  }

  /** Whether anybody wants anything. */
  wanted(): boolean {
    return this.listeners.size > 0
  }

  /** The server forgot all topics: the socket is a new one. */
  forgetTold(): void {
    this.told.clear()
    this.begun.clear()
    this.asked = []
  }

  /** At most `limit` frames that bring the server in line with what is wanted. */
  due(limit: number): Due {
    const frames: ClientMessage[] = []
    const want = this.wantedSigns()
    for (const topic of this.told.keys()) {
      if (want.has(topic)) continue
      if (frames.length === limit) return { frames, more: true }
      this.told.delete(topic)
      this.begun.delete(topic)
      frames.push({ op: 'unwatch', topic })
    }
    for (const [topic, sign] of want) {
      if (this.told.get(topic) === sign) continue
      if (frames.length === limit) return { frames, more: true }
      this.told.set(topic, sign)
      frames.push(this.watchFrame(topic))
    }
    return { frames, more: false }
  }

  /** Hands data to those who listen. */
  deliver(topic: string, data: unknown, seq: number): void {
    for (const listener of this.listeners.get(topic) ?? []) listener.data(data, seq)
  }

  /** The server accepted a watch; of the fleet, the viewport that what follows belongs to. */
  accepted(topic: string, quiet_ms: number): Viewport | undefined {
    // An answer to a watch that was taken back meanwhile tells nobody anything.
    if (this.told.has(topic)) {
      this.begun.add(topic)
      for (const listener of this.listeners.get(topic) ?? []) listener.begun?.(quiet_ms)
    }
    return this.answered(topic)
  }

  /** Tells the listeners of `topic` that the server will not have it. */
  refused(topic: string, promot: string): void {
    this.answered(topic)
    for (const listener of this.listeners.get(topic) ?? []) listener.refused?.(promot)
  }

  /** The oldest fleet watch is answered: its viewport. */
  private answered(topic: string): Viewport | undefined {
    return topic === FLEET ? this.asked.shift() : undefined
  }

  private wantedSigns(): Map<string, string> {
    const want = new Map<string, string>()
    for (const topic of this.listeners.keys()) {
      if (want.size === TOPIC_LIMIT) break
      if (topic !== FLEET) want.set(topic, '')
      else if (this.viewport !== null) want.set(topic, signOf(this.viewport))
    }
    return want
  }

  private watchFrame(topic: string): ClientMessage {
    if (topic !== FLEET || this.viewport === null) return { op: 'watch', topic }
    const { resume } = this
    // A resume is for the first watch after a loss; a viewport that moved needs its own snapshot.
    this.resume = undefined
    const { bbox, zoom, pick } = this.viewport
    this.asked.push(this.viewport)
    return { op: 'watch', topic, bbox, zoom, ...(pick === undefined ? resume : { pick }) }
  }
}

/** Two viewports with the same sign show the same bikes. */
function signOf({ bbox, zoom, pick }: Viewport): string {
  return `${bbox.join()}@${zoom}${pick === undefined ? '' : JSON.stringify(pick)}`
}

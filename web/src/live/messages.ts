/** The text frames of `docs/push.md`, parsed: what does not fit the contract is refused here. */

/** A text frame from the server. */
export type ServerMessage =
  | { readonly op: 'ready'; readonly time: number; readonly instance: string }
  | { readonly op: 'pong'; readonly time: number }
  | { readonly op: 'error'; readonly topic: string; readonly promot: string }
  | { readonly op: 'watching'; readonly topic: string; readonly seq: number; readonly quietMs: number }
  | { readonly op: 'who'; readonly slot: number; readonly n: number; readonly carId: string | null }
  | { readonly op: 'whoAll'; readonly n: number; readonly carIds: readonly (string | null)[] }
  | { readonly op: 'bye'; readonly code: string; readonly promot: string }
  | { readonly op: 'data'; readonly topic: string; readonly seq: number; readonly time: number; readonly data: unknown }

/** A text frame to the server. */
export type ClientMessage =
  | { readonly op: 'auth'; readonly token: string; readonly t: string }
  | ({ readonly op: 'watch'; readonly topic: string } & Partial<Viewport> & Partial<Resume>)
  | { readonly op: 'unwatch'; readonly topic: string }
  | { readonly op: 'who'; readonly slot: number; readonly n: number }
  | { readonly op: 'who'; readonly slots: readonly number[]; readonly n: number }
  | { readonly op: 'ping' }

/** What part of the world is watched. */
export interface Viewport {
  /** West, south, east, north in degrees WGS-84. */
  readonly bbox: readonly [number, number, number, number]
  readonly zoom: number
  /** Which bikes of it; absent: all. */
  readonly pick?: Pick
}

/** Which bikes are watched, as `docs/push.md` says: what is absent lets all through. */
export interface Pick {
  /** Ids of service areas. */
  readonly areas?: readonly string[]
  readonly riding?: readonly number[]
  readonly operations?: readonly number[]
  readonly alarms?: readonly number[]
  /** Percent, both included. */
  readonly soc_percent?: readonly [number, number]
  /** Hours since nobody uses it, the second not included; null: without end. */
  readonly idle_h?: readonly [number, number | null]
  readonly tags?: readonly string[]
  /** Ids of voltage schemes; `0`: without any. */
  readonly voltage_schemes?: readonly string[]
  /** Codes of why it cannot be rented. */
  readonly reasons?: readonly string[]
  /** Those that stand unused much longer than the ones around them. */
  readonly likely_lost?: true
}

/** From where a watch goes on: a tick, and the server process that counted it. */
export interface Resume {
  readonly since: number
  readonly instance: string
}

/** The message in `text`, or null when it is none that this client knows. */
export function readMessage(text: string): ServerMessage | null {
  let raw: unknown
  try {
    raw = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof raw !== 'object' || raw === null) return null
  const frame = raw as Record<string, unknown>
  switch (frame.op) {
    case 'ready':
      return { op: 'ready', time: numberOf(frame.time), instance: textOf(frame.instance) }
    case 'pong':
      return { op: 'pong', time: numberOf(frame.time) }
    case 'error':
      return { op: 'error', topic: textOf(frame.topic), promot: textOf(frame.promot) }
    case 'watching':
      return { op: 'watching', topic: textOf(frame.topic), seq: numberOf(frame.seq), quietMs: numberOf(frame.quietMs) }
    case 'who':
      if (Array.isArray(frame.carIds)) {
        return { op: 'whoAll', n: numberOf(frame.n), carIds: frame.carIds.map((carId) => (typeof carId === 'string' ? carId : null)) }
      }
      return {
        op: 'who',
        slot: numberOf(frame.slot),
        n: numberOf(frame.n),
        carId: typeof frame.carId === 'string' ? frame.carId : null,
      }
    case 'bye':
      return { op: 'bye', code: textOf(frame.code), promot: textOf(frame.promot) }
    case undefined:
      if (typeof frame.topic !== 'string') return null
      return { op: 'data', topic: frame.topic, seq: numberOf(frame.seq), time: numberOf(frame.time), data: frame.data }
    default:
      return null
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

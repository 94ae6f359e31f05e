/**
 * Every call to the server goes through here: hosts, headers, the params cipher, envelopes, failures.
 * A refusal throws `Refusal`, anything else that went wrong `HttpError`; the catalogue's notifications for
 * 401, 403, 404 and no answer are shown here, once, whoever asked.
 */
import { uuid } from './bytes'
import { learnTime, serverNow } from './clock'
import { httpError, unwrap } from './envelope'
import { HttpError, Refusal } from './failures'
import { hosts, isPlain, place } from './hosts'
import { isLeaving } from './leaving'
import { openAnswer, sealRequest } from './paramsCipher'
import type { Arguments, BodyOf, DataOf, ListRoute, Page, PlainRouteOf, Query, QueryOf, Records, RouteOf } from './shapes'
import { ACCESS_TOKEN, noteSeen, paramsKey, readCookie, seenPosition } from './storage'

export { failureText, HttpError, Refusal } from './failures'

/** How a call may differ from the usual. */
export interface CallOptions {
  signal?: AbortSignal
  /** The same command sent again keeps its key. */
  idempotencyKey?: string
  /** No notification when it fails: the caller says it, or it does not matter. */
  quiet?: boolean
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** What the client tells the application. */
export interface Listener {
  failed(title: string, description: string): void
  /** `words`: why, when the server gave a reason to tell. */
  signedOut(words: string | null): void
}

/** The account may not be used any more. */
const DISABLED = 'operator-disabled'

let listener: Listener = { failed: () => {}, signedOut: () => {} }

export function setListener(next: Listener): void {
  listener = next
}

/** The query as the server gets it: strings only, nothing empty of meaning. */
export function queryStrings(query: Query): Record<string, string> {
  const entries = Object.entries(query).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]))
}

/** Headers of a call; `json` when a body follows. */
function headers(method: Method, path: string, json: boolean, options: CallOptions): Headers {
  const result = new Headers({ traceId: uuid() })
  const { host, sent } = place(path)
  const token = localStorage.getItem(ACCESS_TOKEN)
  const signature = readCookie('_t')
  if (token) result.set('Authorization', `Bearer ${token}`)
  if (signature) result.set('_t', signature)
  if (json) result.set('Content-Type', 'application/json')
  if (method === 'GET') {
    const seen = seenPosition()
    if (seen) result.set('X-Seen', seen)
  } else {
    result.set('Idempotency-Key', options.idempotencyKey ?? uuid())
  }
  if (sent.endsWith('/sms/code') && hosts.appId) result.set('X-App-Id', hosts.appId)
  if (host === 'financial') {
    result.set('phone', localStorage.getItem('opMan') ?? '')
    result.set('agentId', localStorage.getItem('getAgentid') ?? hosts.defaultAgentId)
  }
  return result
}

/**
 * No answer came, or not the whole of it. A page that is being left has broken it off itself, and waits for nothing
 * more; if it stays after all, it can still be cancelled.
 */
function noAnswer(error: unknown, signal: AbortSignal | null | undefined, quiet = false): Promise<never> {
  if (signal?.aborted) throw error
  if (isLeaving()) return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(error)))
  const text = '网络出现问题，请稍后再试'
  if (!quiet) listener.failed('错误', text)
  throw new HttpError(0, text)
}

/** Sends it, notes what every answer tells, and turns statuses into errors and notifications. */
async function send(url: string, init: RequestInit & { headers: Headers }, quiet = false): Promise<Response> {
  let response: Response
  try {
    response = await fetch(url, { credentials: 'same-origin', ...init })
  } catch (error) {
    return noAnswer(error, init.signal, quiet)
  }
  learnTime(response.headers, Date.now())
  noteSeen(response.headers.get('X-Position'))
  if (response.ok) return response
  const body: unknown = await response.json().catch(() => null)
  const error = httpError(response.status, body)
  if (response.status === 401) refusedAs(tokenIn(init.headers), error.code === DISABLED ? error.text : null)
  else if (quiet) throw error
  else if (response.status === 403) listener.failed('Forbidden', error.text)
  else if (response.status === 404) listener.failed('错误', '请求错误，未找到该资源')
  throw error
}

/** The access token that a request carries, or null. */
function tokenIn(sent: Headers): string | null {
  return sent.get('Authorization')?.slice('Bearer '.length) ?? null
}

/**
 * The server did not accept `token`. Only the one in use ends the session: of a burst the first answer has ended it
 * already, also for a call that was only built after that and bore none, and a token that another tab has replaced meanwhile says nothing
 * about the new one.
 */
function refusedAs(token: string | null, words: string | null = null): void {
  if (token === null || localStorage.getItem(ACCESS_TOKEN) !== token) return
  listener.failed('未授权', '授权验证失败')
  listener.signedOut(words)
}

/** A call; once more when its token was replaced by a newer one while it was under way. */
async function call<T>(method: Method, path: string, query: Query, body: unknown, options: CallOptions): Promise<T> {
  const token = localStorage.getItem(ACCESS_TOKEN)
  // The command stays the same one.
  const keyed = method === 'GET' ? options : { ...options, idempotencyKey: options.idempotencyKey ?? uuid() }
  try {
    return await attempt<T>(method, path, query, body, keyed)
  } catch (error) {
    const now = localStorage.getItem(ACCESS_TOKEN)
    const replaced = token !== null && now !== null && now !== token
    if (!(replaced && error instanceof HttpError && error.status === 401)) throw error
    return attempt<T>(method, path, query, body, keyed)
  }
}

async function attempt<T>(method: Method, path: string, query: Query, body: unknown, options: CallOptions): Promise<T> {
  const { host, sent } = place(path)
  const strings = queryStrings(query)
  const hasBody = method === 'POST' || method === 'PUT'
  const wrapped = !isPlain(sent)
  const key = wrapped ? paramsKey() : null
  if (wrapped && !key) {
    // The cookies have run out.
    const token = localStorage.getItem(ACCESS_TOKEN)
    if (token !== null) refusedAs(token)
    throw new HttpError(401, '授权验证失败')
  }
  let search = new URLSearchParams(strings).toString()
  let content = hasBody ? (body ?? {}) : undefined
  if (key) {
    if (!hasBody || search !== '') search = `params=${await sealRequest(key, method, sent, strings, serverNow())}`
    if (hasBody) content = { params: await sealRequest(key, method, sent, content, serverNow()) }
  }
  const init = {
    method,
    headers: headers(method, path, hasBody, options),
    body: content === undefined ? undefined : JSON.stringify(content),
    signal: options.signal,
  }
  const response = await send(hosts[host] + sent + (search === '' ? '' : `?${search}`), init, options.quiet)
  const read: unknown = await response.json().catch((error: unknown) => noAnswer(error, options.signal, options.quiet))
  let envelope = read as { params?: unknown }
  if (key && typeof envelope.params === 'string') {
    envelope = (await openAnswer(key, method, sent, envelope.params)) as typeof envelope
  }
  return opened(envelope) as T
}

/** The data of `envelope`; the refusal that is thrown instead holds the answer as it came (`cause`). */
function opened(envelope: unknown): unknown {
  try {
    return unwrap(envelope)
  } catch (error) {
    if (error instanceof Refusal) error.cause = envelope
    throw error
  }
}

/** What a call may be given besides, its route's names in braces among it. */
interface RouteOptions extends CallOptions {
  path?: Readonly<Record<string, string>>
}

/** `route` with its names in braces filled in. */
function filled(route: string, names: RouteOptions['path'] = {}): string {
  return route.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? ''))
}

const asking =
  (method: Method) =>
  <T>(route: string, query: Query = {}, { path, ...options }: RouteOptions = {}) =>
    call<T>(method, filled(route, path), query, undefined, options)
const telling =
  (method: Method) =>
  <T>(route: string, body: unknown = {}, { path, ...options }: RouteOptions = {}) =>
    call<T>(method, filled(route, path), {}, body, options)

/** Calls whose route says what they are sent and what they answer. */
interface Calls {
  get<R extends RouteOf<'get'>>(route: R, ...sent: Arguments<R, 'get', QueryOf<R>, CallOptions>): Promise<DataOf<R>>
  post<R extends RouteOf<'post'>>(route: R, ...sent: Arguments<R, 'post', BodyOf<R>, CallOptions>): Promise<DataOf<R, 'post'>>
  put<R extends RouteOf<'put'>>(route: R, ...sent: Arguments<R, 'put', BodyOf<R, 'put'>, CallOptions>): Promise<DataOf<R, 'put'>>
  delete<R extends RouteOf<'delete'>>(
    route: R,
    ...sent: Arguments<R, 'delete', QueryOf<R, 'delete'>, CallOptions>
  ): Promise<DataOf<R, 'delete'>>
  /** One page of a list that is known by its rows. */
  list<Row>(route: ListRoute<Row>, query: Query, options?: CallOptions): Promise<Page<Row> | Records<Row>>
}

const calls: Calls = {
  get: asking('GET'),
  post: telling('POST'),
  put: telling('PUT'),
  delete: asking('DELETE'),
  list: asking('GET'),
}

const commanding =
  (method: Method) =>
  (route: string) =>
  <T>(sent: unknown, options: CallOptions = {}) =>
    method === 'DELETE' ? call<T>(method, route, sent as Query, undefined, options) : call<T>(method, route, {}, sent, options)

/** Calls that are known by their route alone, for `useCommand`: what they are sent follows later. */
interface Commands {
  post<R extends PlainRouteOf<'post'>>(route: R): (sent: BodyOf<R>, options?: CallOptions) => Promise<DataOf<R, 'post'>>
  put<R extends PlainRouteOf<'put'>>(route: R): (sent: BodyOf<R, 'put'>, options?: CallOptions) => Promise<DataOf<R, 'put'>>
  delete<R extends PlainRouteOf<'delete'>>(route: R): (sent: QueryOf<R, 'delete'>, options?: CallOptions) => Promise<DataOf<R, 'delete'>>
}

export const command: Commands = { post: commanding('POST'), put: commanding('PUT'), delete: commanding('DELETE') }

export const api = {
  ...calls,
  /** A file; not wrapped, the answer is the caller's to read. */
  async download(path: string, query: Query = {}, options: CallOptions = {}): Promise<Response> {
    const { host, sent } = place(path)
    const search = new URLSearchParams(queryStrings(query)).toString()
    const init = { headers: headers('GET', path, false, options), signal: options.signal }
    const response = await send(hosts[host] + sent + (search === '' ? '' : `?${search}`), init, options.quiet)
    // A refusal of a download comes as short JSON with status 200.
    const length = Number(response.headers.get('Content-Length') ?? Infinity)
    if (length < 10_000 && response.headers.get('Content-Type')?.startsWith('application/json')) {
      const body: unknown = await response.clone().json()
      // Told by either host's word; a file that happens to be JSON has neither.
      const said = typeof body === 'object' && body !== null ? (body as { suc?: unknown; success?: unknown }) : {}
      if (said.suc === false || said.success === false) opened(body)
    }
    return response
  },
  /** The body of a download as it comes; `onBytes` is told how much came, of how much where the answer says so. */
  async received(response: Response, onBytes: (done: number, total: number | null) => void, options: CallOptions = {}): Promise<Blob> {
    const type = response.headers.get('Content-Type') ?? ''
    const reader = response.body?.getReader()
    if (!reader) return response.blob()
    // The length of what is packed for the way says nothing of what is unpacked.
    const length = response.headers.has('Content-Encoding') ? null : response.headers.get('Content-Length')
    const parts: Uint8Array<ArrayBuffer>[] = []
    let done = 0
    const tell = () => onBytes(done, length === null || done > Number(length) ? null : Number(length))
    tell()
    try {
      for (;;) {
        // oxlint-disable-next-line no-await-in-loop -- a stream comes piece by piece
        const piece = await reader.read()
        if (piece.done) return new Blob(parts, { type })
        parts.push(piece.value)
        done += piece.value.byteLength
        tell()
      }
    } catch (error) {
      return noAnswer(error, options.signal, options.quiet)
    }
  },
  /** A file as it is; not wrapped. */
  async upload(path: string, query: Query, file: Blob, options: CallOptions = {}): Promise<void> {
    const { host, sent } = place(path)
    const search = new URLSearchParams(queryStrings(query)).toString()
    const init = { method: 'POST', headers: headers('POST', path, false, options), body: file, signal: options.signal }
    const response = await send(`${hosts[host]}${sent}?${search}`, init, options.quiet)
    opened(await response.json().catch((error: unknown) => noAnswer(error, options.signal, options.quiet)))
  },
}

/** Whether asking again may help: only when no answer came. */
export function mayRetry(failures: number, error: unknown): boolean {
  return failures < 1 && error instanceof HttpError && error.status === 0 && !(error instanceof Refusal)
}

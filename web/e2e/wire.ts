/** The server as a program speaks to it, with the session of the signed-in browser: to prepare what a spec needs. */
import { type APIRequestContext, expect, type Page } from '@playwright/test'
import { randomBytes, toBase64Url, utf8, uuid } from '../src/api/bytes'
import { oaep } from '../src/api/cryptoBox'
import { openAnswer, openText, sealRequest } from '../src/api/paramsCipher'
import { at, hashOf, server, signedInAt, WORKER } from './fixtures'

const BASE = '/ebike/v3/backend'

/** What proves a caller: the two cookies and, once he is signed in, the token. */
export interface Keys {
  _t: string
  _k: string
  token: string | null
}

/** Those of the signed-in browser. */
export function adminKeys(): Keys {
  const { cookies, origins } = signedInAt(server())
  const cookie = (name: string) => decodeURIComponent(cookies.find((kept) => kept.name === name)?.value ?? '')
  const stored = origins.flatMap((origin) => origin.localStorage).find((item) => item.name === 'Access-Token')
  return { _t: cookie('_t'), _k: cookie('_k'), token: stored?.value ?? null }
}

export interface Envelope<Data> {
  suc: boolean
  data: Data
  error?: { code: string; promot: string }
}

/** The newest position that an answer told: what is asked afterwards includes it, as in the web client. */
let seen = 0

/** Calls `path` with `content` as the web client does, boxes and all. */
export async function call<Data>(
  request: APIRequestContext,
  keys: Keys,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  content: Record<string, unknown>,
): Promise<Envelope<Data>> {
  const key = new Uint8Array(Buffer.from(keys._k, 'base64url'))
  const sent = BASE + path
  const box = await sealRequest(key, method, sent, content, Date.now())
  const answer = await request.fetch(server() + sent, {
    method,
    headers: {
      _t: keys._t,
      ...(keys.token === null ? {} : { Authorization: `Bearer ${keys.token}` }),
      ...(method === 'GET' ? { 'X-Seen': String(seen) } : { 'Idempotency-Key': uuid() }),
    },
    ...(method === 'GET' ? { params: { params: box } } : { data: { params: box } }),
  })
  seen = Math.max(seen, Number(answer.headers()['x-position'] ?? '0'))
  const body = (await answer.json()) as { params?: unknown }
  return (typeof body.params === 'string' ? await openAnswer(key, method, sent, body.params) : body) as Envelope<Data>
}

/** Agrees on keys as a browser does that nobody has signed in with. */
export async function freshKeys(request: APIRequestContext, deviceCode: string): Promise<Keys> {
  const found = (await (await request.get(`${server()}${BASE}/auth/publicKey`)).json()) as Envelope<{ keyId: string; publicKey: string }>
  const key = randomBytes(32)
  const secret = JSON.stringify({ key: toBase64Url(key), ts: Date.now(), devId: deviceCode })
  const params = toBase64Url(await oaep(found.data.publicKey, utf8(secret)))
  const answer = await request.post(`${server()}${BASE}/auth/verifySign`, { data: { keyId: found.data.keyId, params } })
  const { aesKey } = ((await answer.json()) as Envelope<{ aesKey: string }>).data
  const { _t, _k } = JSON.parse(await openText(key, 'verifySign', aesKey)) as { _t: string; _k: string }
  return { _t, _k, token: null }
}

/** A phone that nobody has used yet, here or in another worker, nor within a quarter of an hour one that looks the same when masked. */
export function newPhone(): string {
  const now = Date.now()
  const digits = (count: number) => String(count % 10_000).padStart(4, '0')
  return `15${WORKER}${digits(now)}${digits(Math.floor(now / 100))}`
}

export interface Operator {
  phone: string
  roleId: string
  roleName: string
}

/** An operator with a role of his own that holds `codes`. */
export async function newOperator(request: APIRequestContext, name: string, codes: string[]): Promise<Operator> {
  const phone = newPhone()
  const roleName = `${name}${phone.slice(-6)}`
  const role = await call<{ id: string }>(request, adminKeys(), 'POST', '/platform/permission/role', { name: roleName, remark: '', codes })
  expect(role.suc, JSON.stringify(role)).toBe(true)
  const body = { phone, name, level: 2, roleIds: [role.data.id] }
  const operator = await call(request, adminKeys(), 'POST', '/platform/permission/user', body)
  expect(operator.suc, JSON.stringify(operator)).toBe(true)
  return { phone, roleId: role.data.id, roleName }
}

/** A link that signs `phone` in. */
export async function newOrigin(request: APIRequestContext, phone: string): Promise<string> {
  const link = await call<{ origin: string }>(request, adminKeys(), 'POST', '/auth/quickLink', { phone })
  expect(link.suc, JSON.stringify(link)).toBe(true)
  return link.data.origin
}

/** The address that a link opens. */
export async function linkFor(request: APIRequestContext, phone: string, page = '/login'): Promise<string> {
  return at(`${page}?origin=${encodeURIComponent(await newOrigin(request, phone))}`)
}

/** Signs `phone` in on `page` by a link, and waits for the page that it leads to: whoever goes on before is led back there. */
export async function enterByLink(page: Page, request: APIRequestContext, phone: string): Promise<void> {
  await page.goto(await linkFor(request, phone))
  await expect(page.getByText('登录成功')).toBeVisible({ timeout: 20_000 })
  await expect.poll(() => hashOf(page)).toBe('/log')
}

/** A call as a page sent it, and what the page could read of the answer. */
export interface Travelled {
  method: string
  url: URL
  /** Without the base of the main host. */
  path: string
  headers: Record<string, string>
  body: string | null
  /** The text of the answer; null while there is none that the page may read. */
  answer: string | null
  /** Whether the page took it back: there will be no answer. */
  takenBack: boolean
  /** Headers of the answer that the page may read. */
  readable: Record<string, string>
}

/** From now on every call of `page`, in order. Nothing is held back or changed. */
export async function watchCalls(page: Page): Promise<Travelled[]> {
  const calls: Travelled[] = []
  page.on('request', (request) => {
    if (request.resourceType() !== 'fetch') return
    const url = new URL(request.url())
    const path = url.pathname.replace(BASE, '')
    calls.push({ method: request.method(), url, path, headers: request.headers(), body: request.postData(), answer: null, takenBack: false, readable: {} })
  })
  const callWith = (trace: string | undefined) => calls.find(({ headers }) => headers.traceid === trace)
  page.on('requestfailed', (request) => {
    const call = callWith(request.headers().traceid)
    if (call) call.takenBack = request.failure()?.errorText === 'net::ERR_ABORTED'
  })
  // The page goes on only when its answer is noted: what a page read that reloads can no longer be asked of the browser.
  await page.exposeFunction('noteAnswer', (trace: string, answer: string, readable: Record<string, string>) => {
    const call = callWith(trace)
    if (call) Object.assign(call, { answer, readable })
  })
  // Of an answer that has come, whole or not, the network does not say that the page wants it no more.
  await page.exposeFunction('noteTakenBack', (trace: string) => {
    const call = callWith(trace)
    if (call) call.takenBack = true
  })
  await page.addInitScript(() => {
    const network = window.fetch
    type Notes = Record<'noteAnswer' | 'noteTakenBack', (...noted: unknown[]) => Promise<void>>
    const { noteAnswer, noteTakenBack } = window as unknown as Notes
    window.fetch = async (address, init) => {
      const trace = new Headers(init?.headers).get('traceId')
      init?.signal?.addEventListener('abort', () => void noteTakenBack(trace))
      const response = await network(address, init)
      const answer = await response.clone().text()
      await noteAnswer(trace, answer, Object.fromEntries(response.headers))
      return response
    }
  })
  return calls
}

/** What a call says, opened: `d` of its boxes, or nothing where it holds anything but boxes. */
export async function openedRequest(keys: Keys, call: Travelled): Promise<{ query?: unknown; body?: unknown }> {
  const key = new Uint8Array(Buffer.from(keys._k, 'base64url'))
  const plain = async (box: unknown) => (JSON.parse(await openText(key, `${call.method} ${call.url.pathname}`, String(box))) as { d: unknown }).d
  const said: { query?: unknown; body?: unknown } = {}
  if ([...call.url.searchParams.keys()].join() === 'params') said.query = await plain(call.url.searchParams.get('params'))
  const body = call.body === null ? {} : (JSON.parse(call.body) as Record<string, unknown>)
  if (Object.keys(body).join() === 'params') said.body = await plain(body.params)
  return said
}

/** The envelope of a call's answer, out of its box. */
export async function openedAnswer<Answer>(keys: Keys, call: Travelled): Promise<Answer> {
  const key = new Uint8Array(Buffer.from(keys._k, 'base64url'))
  const { params, ...beside } = JSON.parse(call.answer ?? '{}') as Record<string, unknown>
  expect(beside, `beside the box in the answer to ${call.path}`).toEqual({})
  return (await openAnswer(key, call.method, call.url.pathname, String(params))) as Answer
}

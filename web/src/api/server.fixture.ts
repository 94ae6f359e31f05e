/**
 * A server for tests, at the border of the network: it takes what the client really sends, keys and boxes included,
 * and answers what a test says.
 */
import { constants, generateKeyPairSync, privateDecrypt } from 'node:crypto'
import { vi } from 'vitest'
import { fromBase64Url, randomBytes, toBase64Url, utf8 } from './bytes'
import { BASE } from './hosts'
import { openText, sealText } from './paramsCipher'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** What a call is answered: JSON, nothing at all, or what is found out when it comes. */
type Answer = { status: number; body: unknown } | 'lost' | (() => Answer)

/** The server does not answer. */
export const lost: Answer = 'lost'

/** A JSON answer. */
export function says(body: unknown, status = 200): Answer {
  return { status, body }
}

/** A call as the server got it, opened. */
export interface Sent {
  method: string
  /** Without the base of the main host. */
  path: string
  /** Query or body. */
  content: Record<string, unknown>
  token: string | null
  idempotencyKey: string | null
}

/** A signed token in form; nobody checks it here. */
export function tokenOf(claims: Record<string, unknown>): string {
  return `head.${toBase64Url(utf8(JSON.stringify(claims)))}.signature`
}

export const PHONE = '13812345678'
const claims = { agentIds: ['7'], opAreaIds: ['21', '22'], userId: '900', phone: PHONE, agentId: '7', exp: 4_000_000_000, sid: 's1', pv: 1 }
export const TOKEN = tokenOf(claims)
export const USER = {
  agentId: '7',
  roleId: '31',
  token: TOKEN,
  name: '王小明',
  welcome: '王小明，欢迎回来',
  avatar: '',
  userId: '900',
  phone: PHONE,
  roles: [{ id: '31', name: '运营', permissionList: ['01'] }],
  info: { lastLoginAt: null, level: 2, levelNames: ['运营'] },
  isRoot: false,
}

/** A login that goes well. */
const usual: Record<string, Answer> = {
  '/mieba/platform/opman/device/verification': says({ suc: true }),
  '/auth/publicKey': says({ suc: true, data: { keyId: '1', publicKey: publicKey.export({ type: 'spki', format: 'pem' }) } }),
  '/auth/sms/code': says({}),
  '/auth/sms/verify': says({ objectId: '900' }),
  '/auth/sms/user': says({ objectId: '900' }),
  '/auth/login/phone': says({ suc: true, data: { opManId: PHONE } }),
  '/auth/login/authorized': says({ suc: true, data: { opManId: PHONE } }),
  '/auth/logout': says({ suc: true, data: {} }),
  '/platform/permission/login': says({ suc: true, data: USER }),
  '/platform/permission/allCode': says({ suc: true, data: ['03', '0301'] }),
  '/platform/agent/byApiKey': says({ suc: true, data: { agentId: '7' } }),
  '/platform/agent/billingWay': says({ suc: true, data: { billingWay: 1 } }),
  '/Pay/customer/getAccountInfo': says({
    success: true,
    data: { id: 5, accountLevel: 2, authStatus: 3, status: 2, accountType: null, customerName: '某商户' },
    msg: '',
  }),
}

export interface Server {
  /** Everything that came, in order. */
  sent: Sent[]
  /** Paths of the commands and queries, in order. */
  paths(): string[]
  /** From now on `path` is answered so. */
  answers(path: string, answer: Answer): void
}

/** The answer to the exchange of keys: the one-time key is read as a server reads it. */
async function exchange(params: string, _k: string): Promise<Answer> {
  const opening = { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
  const { key } = JSON.parse(privateDecrypt(opening, fromBase64Url(params)).toString()) as { key: string }
  return says({ suc: true, data: { aesKey: await sealText(fromBase64Url(key), 'verifySign', JSON.stringify({ _t: 'session-1', _k })) } })
}

/** Takes the place of the network until the test is over. */
export function startServer(): Server {
  const answers = new Map(Object.entries(usual))
  const sent: Sent[] = []
  const sessionKey = toBase64Url(randomBytes(32))

  const opened = async (key: string, method: string, path: string, box: string) => {
    const plain = await openText(fromBase64Url(key), `${method} ${path}`, box)
    return (JSON.parse(plain) as { d: Record<string, unknown> }).d
  }
  const cookieKey = () => decodeURIComponent(/(?:^|; )_k=([^;]*)/.exec(document.cookie)?.[1] ?? '')

  vi.stubGlobal('fetch', async (address: string, init: RequestInit = {}) => {
    const { pathname, searchParams } = new URL(address, 'http://localhost')
    const method = init.method ?? 'GET'
    const path = pathname.replace(BASE, '')
    const body = typeof init.body === 'string' ? (JSON.parse(init.body) as Record<string, unknown>) : null
    const box = body && Object.keys(body).join(',') === 'params' ? String(body.params) : searchParams.get('params')
    const content = box === null ? (body ?? Object.fromEntries(searchParams)) : await opened(cookieKey(), method, pathname, box)
    const headers = new Headers(init.headers)
    const token = headers.get('Authorization')?.slice('Bearer '.length) ?? null
    sent.push({ method, path, content, token, idempotencyKey: headers.get('Idempotency-Key') })
    const kept = answers.get(path)
    const set = typeof kept === 'function' ? kept() : kept
    const answer = path === '/auth/verifySign' && !set ? await exchange(String(content.params), sessionKey) : (set ?? says(null, 404))
    if (answer === 'lost' || typeof answer === 'function') throw new TypeError('Failed to fetch')
    return new Response(JSON.stringify(answer.body), { status: answer.status, headers: { 'Content-Type': 'application/json' } })
  })
  return {
    sent,
    paths: () => sent.map((call) => call.path),
    answers: (path, answer) => void answers.set(path, answer),
  }
}

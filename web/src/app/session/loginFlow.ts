/**
 * The steps of a login, in their order. Each failing step throws `LoginFailure` with the words to show; then
 * nothing of a session is left. Only account info may fail without ending the login.
 */
import { randomBytes, toBase64Url, utf8 } from '@/api/bytes'
import { api, failureText, HttpError, Refusal } from '@/api/client'
import { serverNow } from '@/api/clock'
import { oaep } from '@/api/cryptoBox'
import { openText } from '@/api/paramsCipher'
import { ACCESS_TOKEN, saveSignature, type Signature } from '@/api/storage'
import { useBrandStore } from '../brand'
import { announceAfterReload } from './announce'
import { deviceCode, deviceName } from './device'
import { clearAccount, clearSession, storeAccount, storeToken } from './stored'
import type { UserInfo } from './store'
import { announceEntry } from './tabs'

/** What kept the visitor out, where the page can say what to do about it. */
export type Obstacle = 'device' | 'link' | 'other'

/** A step failed; `text` is for the user. */
export class LoginFailure extends Error {
  override readonly name = 'LoginFailure'
  constructor(
    readonly text: string,
    readonly obstacle: Obstacle = 'other',
  ) {
    super(text)
  }
}

/** How the phone is proved: by an SMS code, or by a signed link. */
export type Proof = { kind: 'sms'; code: string } | { kind: 'origin'; origin: string }

/** What the login page is told on the way. */
export interface LoginProgress {
  verified(): void
}

/** Codes of refusals that are more than words. */
const obstacles: Readonly<Record<string, Obstacle>> = { 'device-not-authorised': 'device', 'link-expired': 'link' }

/** Runs `step`; its failure becomes the words of `words`. */
async function stepOf<T>(step: Promise<T>, words: (error: unknown) => string, obstacle: Obstacle = 'other'): Promise<T> {
  try {
    return await step
  } catch (error) {
    const met = error instanceof Refusal ? (obstacles[error.code] ?? obstacle) : 'other'
    throw new LoginFailure(words(error), met)
  }
}

/** The server's words for a refusal, otherwise `exception`. */
const refusedOr = (refused: string, exception: string) => (error: unknown) =>
  error instanceof Refusal ? error.text || refused : exception

/** Step 2: names this device for the phone. Whether it may be used is told by the login itself, once the phone is proved. */
function authoriseDevice(phone: string): Promise<unknown> {
  const body = {
    device_type: 1,
    mobilePhoneNumber: phone,
    device_code: deviceCode(),
    device_name: deviceName(navigator.userAgent),
  }
  return stepOf(
    api.post('/mieba/platform/opman/device/verification', body, { quiet: true }),
    refusedOr('当前设备未授权，请联系管理员', '设备授权失败，请检查网络'),
    'device',
  )
}

/** Step 3: agrees with the server on the session's signature. */
async function fetchSignature(): Promise<void> {
  const exchange = async () => {
    const { keyId, publicKey } = await api.get('/auth/publicKey', {}, { quiet: true })
    const key = randomBytes(32)
    const secret = JSON.stringify({ key: toBase64Url(key), ts: serverNow(), devId: deviceCode() })
    const params = toBase64Url(await oaep(publicKey, utf8(secret)))
    const { aesKey } = await api.post('/auth/verifySign', { keyId, params }, { quiet: true })
    saveSignature(JSON.parse(await openText(key, 'verifySign', aesKey)) as Signature, Date.now())
  }
  await stepOf(exchange(), () => '获取签名失败')
}

/** Steps 4 and 5: proves the phone and logs the operator in. */
async function logIn(phone: string, proof: Proof, progress: LoginProgress): Promise<{ objectId: string; user: UserInfo }> {
  const quiet = { quiet: true }
  const failed = refusedOr('登录失败', '登录异常')
  let objectId = ''
  if (proof.kind === 'sms') {
    const body = { mobilePhoneNumber: phone, smsCode: proof.code }
    const answer = await stepOf(api.post('/auth/sms/verify', body, quiet), failed)
    objectId = answer.objectId ?? ''
    if (objectId === '') throw new LoginFailure('登录失败')
    progress.verified()
  }
  const authorise =
    proof.kind === 'sms'
      ? api.post('/auth/login/phone', { phone }, quiet)
      : api.post('/auth/login/authorized', { phone, origin: proof.origin }, quiet)
  const { opManId } = await stepOf(authorise, failed)
  if (proof.kind === 'origin') {
    const lookup = api.get('/auth/sms/user', { mobilePhoneNumber: phone }, quiet)
    objectId = (await stepOf(lookup, failed)).objectId ?? ''
    if (objectId === '') throw new LoginFailure('登录失败')
  }
  const user = await stepOf(api.post('/platform/permission/login', { opManId }, quiet), failed)
  if (!user?.token) throw new LoginFailure('登录失败')
  return { objectId, user }
}

/** What a call of step 7 found; a refusal is nothing found, which keeps nobody out. Anything else ends the login. */
async function found<T>(call: Promise<T>): Promise<T | null> {
  const allowed = call.catch((error: unknown) => {
    if (error instanceof Refusal) return null
    throw error
  })
  return stepOf(allowed, () => '登录异常')
}

function known(value: string | number | null | undefined): string | null {
  return value === null || value === undefined || value === '' ? null : String(value)
}

/** Loads account info; answers with what to warn of. */
async function fetchAccount(agentId: string): Promise<string | null> {
  try {
    storeAccount(await api.get('/Pay/customer/getAccountInfo', { agentId }, { quiet: true }))
    return null
  } catch (error) {
    // Refused leaves what is stored; no proper answer leaves nothing that could be trusted.
    if (!(error instanceof Refusal)) clearAccount()
    const said = error instanceof Refusal || (error instanceof HttpError && error.status > 0)
    return said ? failureText(error, '开户信息获取失败') : '开户信息获取失败'
  }
}

/** Step 7: agent id, billing way, account info. Answers with the billing way and what to warn of. */
async function fetchSurroundings(user: UserInfo): Promise<{ billingWay: string | null; warnings: string[] }> {
  const apiKey = useBrandStore.getState().config?.apiKey
  const quiet = { quiet: true }
  const asked = { apiKey, domain: location.hostname }
  const looked = known((await found(api.get('/platform/agent/byApiKey', asked, quiet)))?.agentId)
  const warnings = looked === null ? ['未获取到代理商信息'] : []
  const agentId = looked ?? known(user.agentId)
  if (agentId === null) {
    localStorage.removeItem('getAgentid')
    return { billingWay: null, warnings }
  }
  localStorage.setItem('getAgentid', agentId)
  const billingWay = known((await found(api.get('/platform/agent/billingWay', { agentId }, quiet)))?.billingWay)
  const warning = await fetchAccount(agentId)
  return { billingWay, warnings: warning === null ? warnings : [...warnings, warning] }
}

/** The whole login of `phone`. On success the session is stored and the caller reloads the page. */
export async function login(phone: string, proof: Proof, progress: LoginProgress): Promise<void> {
  try {
    await authoriseDevice(phone)
    await fetchSignature()
    const { objectId, user } = await logIn(phone, proof, progress)
    storeToken(user.token)
    localStorage.setItem('objectId', objectId)
    localStorage.setItem('opMan', phone)
    localStorage.setItem('roleId', user.roleId ?? '')
    const { billingWay, warnings } = await fetchSurroundings(user)
    if (billingWay === null) localStorage.removeItem('cashierMode')
    else localStorage.setItem('cashierMode', billingWay)
    announceAfterReload({ welcome: true, warning: warnings.length === 0 ? null : warnings.join('；') })
    announceEntry(serverNow())
  } catch (error) {
    localStorage.removeItem(ACCESS_TOKEN)
    clearSession()
    throw error instanceof LoginFailure ? error : new LoginFailure('登录异常')
  }
}

/** Asks for an SMS code, which works on this device alone; throws `LoginFailure` with the server's words. */
export async function requestCode(phone: string): Promise<void> {
  const path = useBrandStore.getState().config?.storageType === 'obs' ? '/auth/obs/sms/code' : '/auth/sms/code'
  await stepOf(api.post(path, { mobilePhoneNumber: phone, deviceCode: deviceCode() }, { quiet: true }), (error) => {
    if (error instanceof HttpError && error.status === 0) return error.text
    return failureText(error, '短信发送次数超限')
  })
}

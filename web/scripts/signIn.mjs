/**
 * Signs in on a development server as the web application does, and prints what proves the caller as JSON:
 * `{ t, token, door }`, where `door` names a session that agreed on keys and proved nothing.
 * Usage: node scripts/signIn.mjs URL PHONE CODE
 */
import { constants, createDecipheriv, publicEncrypt, randomBytes } from 'node:crypto'

const [url, phone, code] = process.argv.slice(2)
const BASE = '/ebike/v3/backend'
const device = 'device-of-schema'

async function call(method, path, body, headers = {}) {
  const response = await fetch(url + BASE + path, {
    method,
    headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
    body: body && JSON.stringify(body),
  })
  const answer = await response.json()
  if (!response.ok || answer.suc === false || answer.error) {
    throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`)
  }
  return answer.data ?? answer
}

/** Agrees on keys (docs/wire.md); the name of the session. */
async function agreed(devId) {
  const { keyId, publicKey } = await call('GET', '/auth/publicKey')
  const key = randomBytes(32)
  const secret = JSON.stringify({ key: key.toString('base64url'), ts: Date.now(), devId })
  const padding = constants.RSA_PKCS1_OAEP_PADDING
  const sealed = publicEncrypt({ key: publicKey, padding, oaepHash: 'sha256' }, Buffer.from(secret))
  const { aesKey } = await call('POST', '/auth/verifySign', { keyId, params: sealed.toString('base64url') })
  const box = Buffer.from(aesKey, 'base64url')
  const opening = createDecipheriv('aes-256-gcm', key, box.subarray(0, 12))
  opening.setAAD(Buffer.from('verifySign'))
  opening.setAuthTag(box.subarray(-16))
  const plain = Buffer.concat([opening.update(box.subarray(12, -16)), opening.final()])
  return JSON.parse(plain.toString('utf8'))._t
}

const verification = { device_type: 1, mobilePhoneNumber: phone, device_code: device, device_name: 'Chrome' }
await call('POST', '/mieba/platform/opman/device/verification', verification)
const t = await agreed(device)
await call('POST', '/auth/sms/code', { mobilePhoneNumber: phone })
await call('POST', '/auth/sms/verify', { mobilePhoneNumber: phone, smsCode: code }, { _t: t })
await call('POST', '/auth/login/phone', { phone }, { _t: t })
const { token } = await call('POST', '/platform/permission/login', { opManId: phone }, { _t: t })
console.log(JSON.stringify({ t, token, door: await agreed('device-at-the-door') }))

/**
 * Signs in on a development server as the web application does, and prints what proves the caller as JSON:
 * `{ t, token, door }`, where `door` names a session that agreed on keys and proved nothing.
 * Usage: node scripts/signIn.mjs URL PHONE CODE
 */
import { constants, createDecipheriv, publicEncrypt, randomBytes } from 'node:crypto'

const [url, phone, code] = process.argv.slice(2)
const BASE = '/ebike/v3/backend'
const device = 'device-of-schema'

/** The data of an answer; anything but a yes is an error. */
async function taken(path, response) {
  const answer = await response.json()
  if (!response.ok || answer.suc === false || answer.error) {
    throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`)
  }
  return answer.data ?? answer
}

const get = async (path) => taken(path, await fetch(url + BASE + path))

async function post(path, body, t) {
  const headers = { 'Content-Type': 'application/json', ...(t && { _t: t }) }
  return taken(path, await fetch(url + BASE + path, { method: 'POST', headers, body: JSON.stringify(body) }))
}

/** Agrees on keys (docs/wire.md); the name of the session. */
async function agreed(devId) {
  const { keyId, publicKey } = await get('/auth/publicKey')
  const key = randomBytes(32)
  const secret = JSON.stringify({ key: key.toString('base64url'), ts: Date.now(), devId })
  const padding = constants.RSA_PKCS1_OAEP_PADDING
  const sealed = publicEncrypt({ key: publicKey, padding, oaepHash: 'sha256' }, Buffer.from(secret))
  const { aesKey } = await post('/auth/verifySign', { keyId, params: sealed.toString('base64url') })
  const box = Buffer.from(aesKey, 'base64url')
  const opening = createDecipheriv('aes-256-gcm', key, box.subarray(0, 12))
  opening.setAAD(Buffer.from('verifySign'))
  opening.setAuthTag(box.subarray(-16))
  const plain = Buffer.concat([opening.update(box.subarray(12, -16)), opening.final()])
  return JSON.parse(plain.toString('utf8'))._t
}

const verification = { device_type: 1, mobilePhoneNumber: phone, device_code: device, device_name: 'Chrome' }
await post('/mieba/platform/opman/device/verification', verification)
const t = await agreed(device)
await post('/auth/sms/code', { mobilePhoneNumber: phone })
await post('/auth/sms/verify', { mobilePhoneNumber: phone, smsCode: code }, t)
await post('/auth/login/phone', { phone }, t)
const { token } = await post('/platform/permission/login', { opManId: phone }, t)
process.stdout.write(`${JSON.stringify({ t, token, door: await agreed('device-at-the-door') })}\n`)

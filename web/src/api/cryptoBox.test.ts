import { constants, generateKeyPairSync, privateDecrypt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { fromBase64Url, randomBytes, toBase64Url, utf8, uuid } from './bytes'
import { oaep, pemToDer, portableAead, portableOaep, readPublicKey, subtleAead } from './cryptoBox'
import { openAnswer, openText, sealRequest, sealText } from './paramsCipher'

const key = Uint8Array.from({ length: 32 }, (_, index) => index)
const nonce = Uint8Array.from({ length: 12 }, (_, index) => index)
const words = 'GET /ebike/v3/backend/platform/permission/role'
const text = '{"d":{"page":"1","keyword":"运维"},"ts":1700000000000}'

describe('params cipher', () => {
  it('both implementations seal the fixed vector to the same bytes', async () => {
    const subtle = await subtleAead.seal(key, nonce, utf8(words), utf8(text))
    const portable = await portableAead.seal(key, nonce, utf8(words), utf8(text))
    expect(toBase64Url(portable)).toBe(toBase64Url(subtle))
    expect(portable.length).toBe(utf8(text).length + 16)
  })

  it('each implementation opens what the other sealed', async () => {
    const box = await sealText(key, words, text, nonce, subtleAead)
    expect(await openText(key, words, box, portableAead)).toBe(text)
    const other = await sealText(key, words, text, nonce, portableAead)
    expect(await openText(key, words, other, subtleAead)).toBe(text)
  })

  it('a box opens only for the path it was sealed for', async () => {
    const box = await sealText(key, words, text)
    await expect(openText(key, 'GET /ebike/v3/backend/platform/permission/tree', box)).rejects.toThrow()
    await expect(openText(key, words, `${box.slice(0, -2)}AA`, portableAead)).rejects.toThrow()
  })

  it('a request carries data and time, an answer opens under its own words', async () => {
    const box = await sealRequest(key, 'POST', '/a', { name: '角色' }, 42)
    expect(JSON.parse(await openText(key, 'POST /a', box))).toEqual({ d: { name: '角色' }, ts: 42 })
    const answer = await sealText(key, 'POST /a answer', '{"suc":true,"data":{"id":"7"}}')
    expect(await openAnswer(key, 'POST', '/a', answer)).toEqual({ suc: true, data: { id: '7' } })
  })
})

describe('RSA-OAEP', () => {
  for (const modulusLength of [2048, 3072]) {
    const pair = generateKeyPairSync('rsa', { modulusLength })
    const pem = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString()
    const decrypt = (box: Uint8Array) =>
      privateDecrypt(
        { key: pair.privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' },
        box,
      ).toString()

    it(`the portable implementation is read by another one, ${modulusLength} bit`, () => {
      const publicKey = readPublicKey(pemToDer(pem))
      expect(publicKey.size_bytes).toBe(modulusLength / 8)
      expect(decrypt(portableOaep(publicKey, utf8(text), randomBytes(32)))).toBe(text)
    })

    it(`the one in use is read by another one, ${modulusLength} bit`, async () => {
      expect(decrypt(await oaep(pem, utf8(text)))).toBe(text)
    })
  }

  it('a message without room is refused', () => {
    const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const key = readPublicKey(new Uint8Array(pair.publicKey.export({ type: 'spki', format: 'der' })))
    expect(() => portableOaep(key, randomBytes(191), randomBytes(32))).toThrow('longer than 190')
  })
})

describe('bytes', () => {
  it('base64url carries any bytes and knows no padding', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
    expect(toBase64Url(bytes)).not.toMatch(/[+/=]/)
    expect(fromBase64Url(toBase64Url(bytes))).toEqual(bytes)
  })

  it('a uuid says that it is random', () => {
    expect(uuid(new Uint8Array(16).fill(255))).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff')
    expect(uuid()).not.toBe(uuid())
  })
})

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readClaims } from './claims'
import { fromBase64Url } from '@/api/bytes'
import { portableAead, subtleAead } from '@/api/cryptoBox'
import { openText, sealText } from '@/api/paramsCipher'

interface Sealed {
  nonce: string
  additional: string
  plaintext: string
}
interface Vectors {
  _k: string
  requests: (Sealed & { box: string })[]
  answers: (Sealed & { box: string })[]
  verifySign: Sealed & { oneTimeKey: string; aesKey: string }
  token: { jwt: string; claims: { userId: string; phone: string; opAreaIds: string[]; exp: number } }
}

const vectors = JSON.parse(readFileSync('../docs/wire-vectors.json', 'utf8')) as Vectors
const key = fromBase64Url(vectors._k)

describe('the published vectors of the wire', () => {
  for (const [name, cipher] of [['WebCrypto', subtleAead], ['the portable cipher', portableAead]] as const) {
    it(`${name} seals and opens them`, async () => {
      const boxes = [...vectors.requests, ...vectors.answers]
      expect(boxes.length).toBeGreaterThan(1)
      const sealed = boxes.map(({ nonce, additional, plaintext }) =>
        sealText(key, additional, plaintext, fromBase64Url(nonce), cipher),
      )
      expect(await Promise.all(sealed)).toEqual(boxes.map(({ box }) => box))
      const opened = boxes.map(({ additional, box }) => openText(key, additional, box, cipher))
      expect(await Promise.all(opened)).toEqual(boxes.map(({ plaintext }) => plaintext))
    })
  }

  it('the signature opens under the one-time key', async () => {
    const { oneTimeKey, aesKey, plaintext } = vectors.verifySign
    expect(await openText(fromBase64Url(oneTimeKey), 'verifySign', aesKey)).toBe(plaintext)
  })

  it('the claims of the token are read', () => {
    const { jwt, claims } = vectors.token
    expect(readClaims(jwt)).toMatchObject({
      userId: claims.userId,
      phone: claims.phone,
      opAreaIds: claims.opAreaIds,
      exp: claims.exp,
    })
  })
})

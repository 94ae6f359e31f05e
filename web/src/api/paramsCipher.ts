/** The box that parameters, bodies and answers travel in: base64url(nonce12 ‖ ciphertext ‖ tag16). */
import { type Bytes, concat, fromBase64Url, fromUtf8, randomBytes, toBase64Url, utf8 } from './bytes'
import { type Aead, aead } from './cryptoBox'

const NONCE_BYTES = 12

/** Seals `text` so that it opens only under the same key and the same `additional` words. */
export async function sealText(
  key: Bytes,
  additional: string,
  text: string,
  nonce: Bytes = randomBytes(NONCE_BYTES),
  cipher: Aead = aead,
): Promise<string> {
  return toBase64Url(concat(nonce, await cipher.seal(key, nonce, utf8(additional), utf8(text))))
}

/** Opens a box; rejects when key, words or content differ from what was sealed. */
export async function openText(key: Bytes, additional: string, box: string, cipher: Aead = aead): Promise<string> {
  const bytes = fromBase64Url(box)
  const nonce = bytes.slice(0, NONCE_BYTES)
  return fromUtf8(await cipher.open(key, nonce, utf8(additional), bytes.slice(NONCE_BYTES)))
}

/** Boxes a request: `d` is the query (all values strings) or the body, `ts` the time in epoch ms. */
export function sealRequest(key: Bytes, method: string, path: string, d: unknown, ts: number): Promise<string> {
  return sealText(key, `${method} ${path}`, JSON.stringify({ d, ts }))
}

/** Opens the whole envelope of an answer to `method path`. */
export async function openAnswer(key: Bytes, method: string, path: string, box: string): Promise<unknown> {
  return JSON.parse(await openText(key, `${method} ${path} answer`, box)) as unknown
}

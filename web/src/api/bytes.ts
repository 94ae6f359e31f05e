/** Bytes in memory that WebCrypto accepts. */
export type Bytes = Uint8Array<ArrayBuffer>

/** UTF-8 bytes of `text`. */
export function utf8(text: string): Bytes {
  return new Uint8Array(new TextEncoder().encode(text))
}

/** Text of UTF-8 `bytes`; throws on anything else. */
export function fromUtf8(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}

/** base64url without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  let binary = ''
  for (let start = 0; start < bytes.length; start += 8192) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 8192))
  }
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Bytes of base64url or base64 text, padded or not; throws on anything else. */
export function fromBase64Url(text: string): Bytes {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

/** All `parts`, one after the other. */
export function concat(...parts: Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}

/** `length` random bytes. */
export function randomBytes(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length))
}

/** A random version 4 UUID; `crypto.randomUUID` is missing on plain http. */
export function uuid(bytes: Uint8Array = randomBytes(16)): string {
  const hex = Array.from(bytes, (byte, index) => {
    const marked = index === 6 ? (byte & 0x0f) | 0x40 : index === 8 ? (byte & 0x3f) | 0x80 : byte
    return marked.toString(16).padStart(2, '0')
  }).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

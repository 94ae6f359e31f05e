/**
 * Encryption that works on plain http too: WebCrypto where the browser offers it, the same algorithms
 * in JavaScript where it does not (`crypto.subtle` exists in secure contexts only).
 */
import { gcm } from '@noble/ciphers/aes.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { type Bytes, concat, fromBase64Url, randomBytes } from './bytes'

/** AES-256-GCM; the 16-byte tag follows the ciphertext. `open` rejects when anything was changed. */
export interface Aead {
  seal(key: Bytes, nonce: Bytes, additional: Bytes, plain: Bytes): Promise<Bytes>
  open(key: Bytes, nonce: Bytes, additional: Bytes, sealed: Bytes): Promise<Bytes>
}

export const subtleAead: Aead = {
  async seal(key, nonce, additional, plain) {
    const imported = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt'])
    const algorithm = { name: 'AES-GCM', iv: nonce, additionalData: additional }
    return new Uint8Array(await crypto.subtle.encrypt(algorithm, imported, plain))
  },
  async open(key, nonce, additional, sealed) {
    const imported = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt'])
    const algorithm = { name: 'AES-GCM', iv: nonce, additionalData: additional }
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, imported, sealed))
  },
}

export const portableAead: Aead = {
  seal: async (key, nonce, additional, plain) => new Uint8Array(gcm(key, nonce, additional).encrypt(plain)),
  open: async (key, nonce, additional, sealed) => new Uint8Array(gcm(key, nonce, additional).decrypt(sealed)),
}

const subtle = (globalThis.crypto as Partial<Crypto>).subtle

/** The one to use here. */
export const aead: Aead = subtle ? subtleAead : portableAead

/** An RSA public key. */
export interface PublicKey {
  modulus: bigint
  exponent: bigint
  /** Length of the modulus. */
  size_bytes: number
}

/** One DER element at `offset`: its content and where it ends. */
function element(der: Uint8Array, offset: number): { tag: number; content: Uint8Array; end: number } {
  const tag = der[offset] ?? 0
  const first = der[offset + 1] ?? 0
  let start = offset + 2
  let length = first
  if (first & 0x80) {
    length = 0
    for (let index = 0; index < (first & 0x7f); index += 1) length = length * 256 + (der[start + index] ?? 0)
    start += first & 0x7f
  }
  const end = start + length
  if (end > der.length) throw new Error('public key is cut short')
  return { tag, content: der.subarray(start, end), end }
}

function toBigInt(bytes: Uint8Array): bigint {
  let hex = '0x0'
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0')
  return BigInt(hex)
}

function fromBigInt(value: bigint, length: number): Bytes {
  const hex = value.toString(16).padStart(length * 2, '0')
  return Uint8Array.from({ length }, (_, index) => Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16))
}

/** The bytes between the PEM lines of a public key. */
export function pemToDer(pem: string): Bytes {
  return fromBase64Url(pem.replaceAll(/-----[^-]+-----|\s/g, ''))
}

/** Reads an RSA key from a SubjectPublicKeyInfo. */
export function readPublicKey(der: Uint8Array): PublicKey {
  const outer = element(der, 0).content
  const algorithm = element(outer, 0)
  const bits = element(outer, algorithm.end)
  if (bits.tag !== 0x03) throw new Error('not a public key')
  // The first byte of a bit string counts its unused bits: none here.
  const key = element(bits.content.subarray(1), 0).content
  const modulus = element(key, 0)
  const exponent = element(key, modulus.end)
  const n = toBigInt(modulus.content)
  return { modulus: n, exponent: toBigInt(exponent.content), size_bytes: Math.ceil(n.toString(16).length / 2) }
}

/** MGF1 with SHA-256: a mask of `length` bytes. */
function mask(seed: Uint8Array, length: number): Bytes {
  const blocks: Uint8Array[] = []
  for (let counter = 0; counter * 32 < length; counter += 1) {
    blocks.push(sha256(concat(seed, Uint8Array.of(counter >>> 24, counter >>> 16, counter >>> 8, counter))))
  }
  return concat(...blocks).slice(0, length)
}

function xor(a: Uint8Array, b: Uint8Array): Bytes {
  return Uint8Array.from(a, (byte, index) => byte ^ (b[index] ?? 0))
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  let factor = base % modulus
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * factor) % modulus
    factor = (factor * factor) % modulus
  }
  return result
}

/** RSA-OAEP with SHA-256 and an empty label; `seed` is 32 random bytes. Encrypts only: no secret is timed. */
export function portableOaep(key: PublicKey, message: Bytes, seed: Bytes): Bytes {
  const room = key.size_bytes - 66
  if (message.length > room) throw new Error(`message is longer than ${room} bytes`)
  const padding = new Uint8Array(room - message.length)
  const block = concat(sha256(new Uint8Array()), padding, Uint8Array.of(1), message)
  const maskedBlock = xor(block, mask(seed, block.length))
  const maskedSeed = xor(seed, mask(maskedBlock, 32))
  const encoded = toBigInt(concat(Uint8Array.of(0), maskedSeed, maskedBlock))
  return fromBigInt(power(encoded, key.exponent, key.modulus), key.size_bytes)
}

/** RSA-OAEP-SHA256 of `message` under the PEM public key. */
export async function oaep(pem: string, message: Bytes): Promise<Bytes> {
  const der = pemToDer(pem)
  if (!subtle) return portableOaep(readPublicKey(der), message, randomBytes(32))
  const key = await subtle.importKey('spki', der, { name: 'RSA-OAEP', hash: 'SHA-256' }, false, ['encrypt'])
  return new Uint8Array(await subtle.encrypt({ name: 'RSA-OAEP' }, key, message))
}

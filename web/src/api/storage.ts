/** What the browser keeps: the two signature cookies, the keys of the session, the highest position seen. */
import { type Bytes, fromBase64Url } from './bytes'

const COOKIE_LIFE_S = 2 * 24 * 60 * 60

/** Value of a cookie in a `document.cookie` text, or null. */
export function cookieIn(all: string, name: string): string | null {
  for (const part of all.split(';')) {
    const [key, ...rest] = part.trim().split('=')
    if (key === name) return decodeURIComponent(rest.join('='))
  }
  return null
}

export function readCookie(name: string): string | null {
  return cookieIn(document.cookie, name)
}

function writeCookie(name: string, value: string, life_s: number): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  const gone = life_s === 0 ? '; Expires=Thu, 01 Jan 1970 00:00:00 GMT' : ''
  // The Cookie Store API exists in secure contexts only.
  // oxlint-disable-next-line unicorn/no-document-cookie
  document.cookie = `${name}=${encodeURIComponent(value)}; Max-Age=${life_s}; Path=/; SameSite=Lax${secure}${gone}`
}

/** The session's signature: `_t` names it, `_k` keys the params cipher. */
export interface Signature {
  _t: string
  _k: string
}

const SIGNED_UNTIL = 'signedUntil'

/** Keeps the signature for two days. */
export function saveSignature(signature: Signature, now: number): void {
  writeCookie('_t', signature._t, COOKIE_LIFE_S)
  writeCookie('_k', signature._k, COOKIE_LIFE_S)
  localStorage.setItem(SIGNED_UNTIL, String(now + COOKIE_LIFE_S * 1000))
}

export function clearSignature(): void {
  writeCookie('_t', '', 0)
  writeCookie('_k', '', 0)
  localStorage.removeItem(SIGNED_UNTIL)
}

/** When the signature ends, epoch ms; null when there is none. */
export function signedUntil(): number | null {
  const until = Number(localStorage.getItem(SIGNED_UNTIL))
  return readCookie('_t') !== null && until > 0 ? until : null
}

/** The key of the params cipher, or null without a session. */
export function paramsKey(): Bytes | null {
  const text = readCookie('_k')
  if (!text) return null
  const key = fromBase64Url(text)
  return key.length === 32 ? key : null
}

/** The key of localStorage under which the access token lies. */
export const ACCESS_TOKEN = 'Access-Token'

const SEEN = 'seenPosition'

/** The highest log position this tab knows of, or null. */
export function seenPosition(): string | null {
  return sessionStorage.getItem(SEEN)
}

/** Remembers `position` when it is the highest yet; the next query waits until the server has got there. */
export function noteSeen(position: string | number | null): void {
  if (position === null || !/^\d{1,19}$/.test(String(position))) return
  const known = seenPosition()
  if (known === null || BigInt(position) > BigInt(known)) sessionStorage.setItem(SEEN, String(position))
}

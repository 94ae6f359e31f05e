import { fromBase64Url, fromUtf8 } from '@/api/bytes'

/** How long a link lives, and how far a clock may run ahead. */
const LIFE_MS = 60_000
const AHEAD_MS = 5_000

/** The phone of a quick-login `origin`, or null when it is no such thing or not fresh. The server checks the signature. */
export function quickLoginPhone(origin: string, now: number): string | null {
  try {
    const said = JSON.parse(fromUtf8(fromBase64Url(origin.split('.')[0] ?? ''))) as { phone?: unknown; ts?: unknown }
    const age = now - Number(said.ts)
    if (typeof said.phone !== 'string' || !(age < LIFE_MS && age >= -AHEAD_MS)) return null
    return said.phone
  } catch {
    return null
  }
}

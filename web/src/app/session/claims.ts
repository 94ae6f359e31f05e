import { fromBase64Url, fromUtf8 } from '@/api/bytes'

/** What the access token says; ids are strings. */
export interface Claims {
  agentIds: string[]
  opAreaIds: string[]
  userId: string
  phone: string
  agentId: string
  build: string
  devId: string
  package: string
  /** End of validity, seconds since the epoch. */
  exp: number
  /** The session that it belongs to, and the state of the account's permissions at issue. */
  sid: string
  pv: string
}

function ids(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** Reads the claims of a signed token without checking it: the server is the judge. Null when it is no token. */
export function readClaims(token: string): Claims | null {
  try {
    const claims = JSON.parse(fromUtf8(fromBase64Url(token.split('.')[1] ?? ''))) as Record<string, unknown>
    return {
      agentIds: ids(claims.agentIds),
      opAreaIds: ids(claims.opAreaIds),
      userId: text(claims.userId),
      phone: text(claims.phone),
      agentId: text(claims.agentId),
      build: text(claims.build),
      devId: text(claims.devId),
      package: text(claims.package),
      exp: Number(claims.exp) || 0,
      sid: text(claims.sid),
      pv: text(claims.pv),
    }
  } catch {
    return null
  }
}

/** The values kept beside the token, derived from it. Lists are comma-separated; empty means all. */
export function derivedValues(claims: Claims): Record<string, string> {
  const areas = claims.opAreaIds.join(',')
  return {
    opAreaIds: areas,
    opAreaIdsBigScreen: areas,
    agentIds: claims.agentIds.join(','),
    userId: claims.userId,
    agentId: claims.agentId,
    phone: claims.phone,
    xcUid: claims.userId,
    currentServiceId: claims.opAreaIds[0] ?? '',
  }
}

const HALF_DAY_MS = 12 * 60 * 60 * 1000

/** Whether token or signature should be renewed now: less than twelve hours are left of either. */
export function needsRenewal(now: number, tokenExp_s: number, signedUntil_ms: number | null): boolean {
  const ends = Math.min(tokenExp_s * 1000, signedUntil_ms ?? Number.POSITIVE_INFINITY)
  return ends - now < HALF_DAY_MS
}

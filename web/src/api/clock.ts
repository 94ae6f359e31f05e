/**
 * The server's time as far as its answers tell it. A request older than five minutes is refused, and the
 * clocks of control-room computers are wrong more often than one thinks.
 */
let ahead_ms = 0

/**
 * Learns from the `Date` header of an answer; differences that a round trip explains are ignored. What a cache may have kept tells
 * of the time when it was made.
 */
export function learnTime(headers: Headers, now: number): void {
  const server = Date.parse(headers.get('Date') ?? '')
  const fresh = headers.get('Cache-Control')?.includes('no-store') ?? false
  if (!fresh || Number.isNaN(server)) return
  const difference = server - now
  ahead_ms = Math.abs(difference) > 5000 ? difference : 0
}

/** The server's time, epoch ms. */
export function serverNow(): number {
  return Date.now() + ahead_ms
}

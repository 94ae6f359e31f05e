const FIRST_MS = 500
const LONGEST_MS = 20_000

/**
 * How long to wait before the next attempt, ms: doubling, at most 20 s, and never less than half of
 * that, so that a fleet of browsers does not come back in step. `random` is in [0, 1).
 */
export function backoffMs(failures: number, random: number): number {
  const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 16))
  return Math.round(ceiling * (0.5 + random / 2))
}

const RESUME_LIMIT_MS = 30_000

/**
 * Whether the fleet may be resumed from tick `seq` after `awayMs` without a connection to the process that counted it.
 */
export function mayResume(seq: number | undefined, awayMs: number): seq is number {
  return seq !== undefined && awayMs <= RESUME_LIMIT_MS
}

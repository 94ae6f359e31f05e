/** How long an element ignores further clicks, ms. */
export const THROTTLE_MS = 1000

/** Whether a click at `now` counts, the last one that did being at `last` (both ms). */
export function letsThrough(last: number, now: number, wait_ms: number = THROTTLE_MS): boolean {
  return now - last >= wait_ms
}

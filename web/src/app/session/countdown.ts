/** Seconds that are left of `total_s` since `startedAt`, both times in ms; 0 when over. */
export function secondsLeft(startedAt: number, now: number, total_s: number): number {
  return Math.max(0, total_s - Math.floor((now - startedAt) / 1000))
}

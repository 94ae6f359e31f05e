/** Days of the calendar, `YYYY-MM-DD`, as the operation counts them: in Shanghai. */
const DAY_MS = 24 * 60 * 60 * 1000
const SHANGHAI_MS = 8 * 60 * 60 * 1000

/** An end is told to come soon so many days before. */
export const SOON_DAYS = 30

/** Days from today to `day`; negative when it is over. */
export function daysLeft(day: string, now_ms: number): number {
  const today = Math.floor((now_ms + SHANGHAI_MS) / DAY_MS)
  return Math.round(Date.parse(`${day}T00:00:00Z`) / DAY_MS) - today
}

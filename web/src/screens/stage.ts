/** The stage of a wall, and what a screen that runs for weeks has to mind. Pure. */

/** Every wall is laid out on this; the screen it hangs on is as large as it is. */
export const STAGE = { width: 1920, height: 1080 } as const

export interface Fit {
  /** Screen px of one stage px. */
  readonly scale: number
  /** Bars at the left and at the top, px of the screen. */
  readonly left: number
  readonly top: number
}

/** The whole stage in a box, its proportions kept. */
export function fitStage(box: { readonly width: number; readonly height: number }): Fit {
  const scale = Math.max(0, Math.min(box.width / STAGE.width, box.height / STAGE.height))
  return { scale, left: (box.width - STAGE.width * scale) / 2, top: (box.height - STAGE.height * scale) / 2 }
}

/** The picture moves by so many stage px, so that nothing burns in. */
export const SHIFT_EVERY_MS = 240_000
const shifts = [
  [0, 0],
  [3, 0],
  [3, 3],
  [0, 3],
  [-3, 3],
  [-3, 0],
  [-3, -3],
  [0, -3],
  [3, -3],
] as const

/** Where the stage lies at a time: steps of a few px about its place, the same for everybody. */
export function shiftAt(now_ms: number): readonly [number, number] {
  return shifts[Math.floor(now_ms / SHIFT_EVERY_MS) % shifts.length] ?? shifts[0]
}

/** The pointer is hidden after so long without input. */
export const POINTER_HIDES_MS = 3_600_000

export type Freshness = 'fresh' | 'aging' | 'stale'
const FRESH_MS = 5_000
const AGING_MS = 60_000

/** How old data is; what is as of no time is stale. */
export function freshnessOf(asOf_ms: number | null, now_ms: number): Freshness {
  if (asOf_ms === null) return 'stale'
  const age_ms = now_ms - asOf_ms
  if (age_ms < FRESH_MS) return 'fresh'
  return age_ms < AGING_MS ? 'aging' : 'stale'
}

/** An age in words. */
export function ageText(asOf_ms: number | null, now_ms: number): string {
  if (asOf_ms === null) return '尚无数据'
  const seconds = Math.max(0, Math.floor((now_ms - asOf_ms) / 1000))
  if (seconds < 60) return `${seconds} 秒前`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} 分钟前`
  return `${Math.floor(seconds / 3600)} 小时前`
}

/** A figure on its way from one value to the next, `share` of the way gone; slower towards its end. */
export function between(from: number, to: number, share: number): number {
  if (share >= 1) return to
  const eased = 1 - (1 - Math.max(0, share)) ** 3
  return from + (to - from) * eased
}

const SHANGHAI_MS = 8 * 3_600_000
const HOUR_MS = 3_600_000
/** The hour in which nobody looks. */
const QUIET_HOUR = 4

/** The quiet hour that holds a time, as its day; null outside of it. */
export function quietDay(now_ms: number): number | null {
  const hours = Math.floor((now_ms + SHANGHAI_MS) / HOUR_MS)
  return hours % 24 === QUIET_HOUR ? Math.floor(hours / 24) : null
}

/** The script that a page of the application begins with: its name changes with every build. */
export function entryOf(html: string): string | null {
  return /<script[^>]+src="([^"]*\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? null
}

/** `14:05:09` and the like, Shanghai's. */
export function clockText(now_ms: number): { day: string; time: string } {
  const local = new Date(now_ms + SHANGHAI_MS)
  const weekday = '日一二三四五六'[local.getUTCDay()] ?? ''
  return { day: `${local.toISOString().slice(0, 10)} 周${weekday}`, time: local.toISOString().slice(11, 19) }
}

/** Which time a tile tells of: a moment, or from a day's beginning on. */
export function rangeText(since_ms: number, until_ms: number): string {
  if (since_ms === until_ms) return '此刻'
  const minute = (at_ms: number) => new Date(at_ms + SHANGHAI_MS).toISOString()
  const [from, until] = [minute(since_ms), minute(until_ms)]
  if (from.slice(0, 10) === until.slice(0, 10)) return `今日 ${from.slice(11, 16)} 至 ${until.slice(11, 16)}`
  return `${from.slice(5, 10)} 至 ${until.slice(5, 10)}`
}

/** How a figure stands against another time, in percent; null where there was nothing. */
export function changeText(now: number, before: number): { way: -1 | 0 | 1; text: string } | null {
  if (before === 0) return null
  const share = ((now - before) / Math.abs(before)) * 100
  const rounded = Math.abs(share) >= 100 ? Math.round(Math.abs(share)) : Math.round(Math.abs(share) * 10) / 10
  const way = rounded === 0 ? 0 : (Math.sign(share) as -1 | 1)
  return { way, text: way === 0 ? '持平' : `${way > 0 ? '+' : '−'}${rounded}%` }
}

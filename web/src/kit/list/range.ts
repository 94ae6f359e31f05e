/** Ranges of time: quick ones that move with the clock, and one's own. Pure; times are wall times of the operation. */
import { formatTime } from '../format'

export const quickRanges = [
  { value: 'today', label: '今天' },
  { value: 'yesterday', label: '昨天' },
  { value: '7d', label: '近 7 天' },
  { value: '30d', label: '近 30 天' },
  { value: 'all', label: '全部' },
] as const

export type QuickRange = (typeof quickRanges)[number]['value']

/** A quick range by name, or two written instants. */
export type Range = QuickRange | { start: string; end: string }

export const USUAL_RANGE: QuickRange = '7d'

/** Longest range of one export. */
export const EXPORT_DAYS = 31

const DAY_MS = 86_400_000
const SHANGHAI_MS = 8 * 3_600_000
const WRITTEN = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/

/** Both limits are included; an open end goes on with the clock. */
export interface Limits {
  startTime?: string
  endTime?: string
}

export function isQuick(text: string | null | undefined): text is QuickRange {
  return quickRanges.some(({ value }) => value === text)
}

/** The beginning of the day `days` before that of `now`, epoch ms. */
function dayStart(now: number, days: number): number {
  return Math.floor((now + SHANGHAI_MS) / DAY_MS) * DAY_MS - SHANGHAI_MS - days * DAY_MS
}

export function limitsOf(range: Range, now: number): Limits {
  if (typeof range !== 'string') return { startTime: range.start, endTime: range.end }
  switch (range) {
    case 'today':
      return { startTime: formatTime(dayStart(now, 0)) }
    case 'yesterday':
      return { startTime: formatTime(dayStart(now, 1)), endTime: formatTime(dayStart(now, 0) - 1000) }
    case '7d':
      return { startTime: formatTime(dayStart(now, 6)) }
    case '30d':
      return { startTime: formatTime(dayStart(now, 29)) }
    case 'all':
      return {}
  }
}

/** Epoch ms of a written instant; null when it is none. */
export function instantOf(text: string | undefined): number | null {
  if (!text || !WRITTEN.test(text)) return null
  const time = Date.parse(`${text.replace(' ', 'T')}+08:00`)
  return Number.isFinite(time) ? time : null
}

/** Reads a range from an address; what makes no sense counts as `otherwise`. */
export function readRange(params: URLSearchParams, otherwise: QuickRange): Range {
  const quick = params.get('range')
  if (isQuick(quick)) return quick
  const [start, end] = [params.get('startTime') ?? undefined, params.get('endTime') ?? undefined]
  const [from, to] = [instantOf(start), instantOf(end)]
  if (start && end && from !== null && to !== null && from <= to) return { start, end }
  return otherwise
}

/** Writes a range into an address. */
export function writeRange(params: URLSearchParams, range: Range): URLSearchParams {
  const next = new URLSearchParams(params)
  for (const name of ['range', 'startTime', 'endTime']) next.delete(name)
  if (typeof range === 'string') next.set('range', range)
  else {
    next.set('startTime', range.start)
    next.set('endTime', range.end)
  }
  return next
}

/** Both limits of an export, or why there can be none. */
export function exportLimits(range: Range, now: number): Required<Limits> | { refusal: string } {
  const { startTime, endTime = formatTime(now) } = limitsOf(range, now)
  const [from, to] = [instantOf(startTime), instantOf(endTime)]
  if (!startTime || from === null || to === null || to - from > EXPORT_DAYS * DAY_MS) {
    return { refusal: `一次最多导出 ${EXPORT_DAYS} 天的日志，请先缩小时间范围` }
  }
  return { startTime, endTime }
}

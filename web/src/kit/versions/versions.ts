/** Versions of a subject: how each stands, when it counts, and what one changed. Pure. */
import { formatTime } from '../format'
import type { TagStyle } from '../StateTag'
import { ink, stateStyle } from '../theme'

/** It counts now, will, did, or was taken back before it did. */
export type VersionState = 'now' | 'future' | 'past' | 'withdrawn'

/** From the first until the second, epoch milliseconds; an open end is null. */
type Stretch = readonly (number | null | undefined)[]

/** When a version counts. */
export interface Counted {
  withdrawn?: boolean
  /** From when it was to count. */
  fromAt: number
  /** When it did, does and will. */
  counted: readonly Stretch[]
}

export const versionTags: Readonly<Record<VersionState, TagStyle>> = {
  now: { label: '生效中', color: stateStyle[0].color },
  future: { label: '待生效', color: ink.warning },
  past: { label: '已失效', color: stateStyle[7].color },
  withdrawn: { label: '已撤回', color: stateStyle[7].color },
}

/** How a version stands. */
export function stateOf({ withdrawn = false, fromAt, counted }: Counted, now_ms: number): VersionState {
  if (withdrawn) return 'withdrawn'
  if (counted.some(([from, until]) => (from ?? 0) <= now_ms && (until === null || until === undefined || now_ms < until))) return 'now'
  return fromAt > now_ms ? 'future' : 'past'
}

/** When it counted and counts, in words. */
export function timesOf(counted: readonly Stretch[]): string {
  if (counted.length === 0) return '没有生效过'
  return counted.map(([from, until]) => `${formatTime(from ?? 0)} 至 ${until === null || until === undefined ? '今' : formatTime(until)}`).join('；')
}

/** What a field said before and says now. */
export interface Difference {
  label: string
  before: string
  after: string
}

/** Nothing where both say the same; an empty text is said to be one. */
export function differenceOf(label: string, from: string | null | undefined, to: string | null | undefined): Difference[] {
  const [before, after] = [from || '（空）', to || '（空）']
  return before === after ? [] : [{ label, before, after }]
}

export const saidOf = ({ label, before, after }: Difference) => `${label} ${before} → ${after}`

/** When something begins to count, and whether it ends by itself, epoch milliseconds. */
export interface Term {
  /** Null: from now on. */
  from: number | null
  /** Null: until the next one does. */
  until: number | null
}

/** `立即生效`, `11-21 08:00 生效，11-23 08:00 结束`; `ending` says what happens then. */
export function termText({ from, until }: Term, ending: string): string {
  const begins = from === null ? '立即生效' : `${formatTime(from)} 起生效`
  return until === null ? begins : `${begins}，${formatTime(until)} ${ending}`
}

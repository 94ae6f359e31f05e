/**
 * A review queue as data: what waits, what a case shows, what may be decided of it. `ReviewPage` draws it.
 *
 *     <ReviewPage queue={queue} view={view} />
 *
 * `queue: ReviewQueue<Row>` is the left side. It is a list description (`QueueDescription<Row>`, see `kit/list/description`), whose `tabs` are the states (each
 * counted), whose filters are those of its route, whose `table` is followed, and whose columns make the file; beside it `waiting`
 * (the state that is shown at first), `oldestFirst` (the route's order by age), `limit_ms` (how long a case may wait: its waiting
 * time turns to a warning at half of it, and to an alarm beyond), and `entry(row)`, what the row shows in the queue.
 *
 * `view: CaseView<Case>` is the right side: `load(id, signal)` brings the case, title, facts, tabs, words and `children` are those of a
 * record (`kit/record/RecordBody`; photos by `kit/Photos`, a map where there is a place; its `category` brings the history), `decisions`
 * are its buttons and letters, `outcome` tells what was decided already, `overtaken` names the refusals that say that somebody was
 * faster. A decision sends itself (`send`), with a reason where it asks for one, or opens something else of the page (`open`).
 *
 * The part does the rest: the next case follows a decision; J and K (and the arrows) walk, each decision's letter decides, ? shows the
 * keys, Esc closes what is open; who was faster is told, and the queue goes on; filters are remembered; on a phone the queue comes
 * first and the case after it.
 */
import type { ReactNode } from 'react'
import type { CallOptions } from '@/api/client'
import { formatTime } from '../format'
import type { AnyList, ListDescription } from '../list/description'
import type { RecordParts } from '../record/RecordBody'
import type { TagStyle } from '../StateTag'

/** A case as the queue shows it. */
export interface Entry {
  /** What it is known by: who asks, or what for. */
  title: string
  /** A line or two below it. */
  lines: readonly ReactNode[]
  state: TagStyle
  /** Since when it waits, epoch ms. */
  since_ms: number
  /** Whether it still waits; of others no waiting time is told. */
  waits: boolean
}

/** A list description whose tabs are the states of its cases. */
export type QueueDescription<Row> = ListDescription<Row> & { tabs: NonNullable<ListDescription<Row>['tabs']> }

/** The left side. */
export interface ReviewQueue<Row extends object> {
  list: AnyList<Row> & { tabs: NonNullable<AnyList<Row>['tabs']> }
  /** The tab that is shown at first: what is to be decided. */
  waiting: string
  /** What the route calls the order by which the oldest comes first; that of the waiting tab. */
  oldestFirst?: string
  /** How long a case may wait, ms; absent: as long as it does. */
  limit_ms?: number
  entry(row: Row): Entry
}

/** What must be said with a decision. */
export interface AskedReason {
  label: string
  max: number
  /** What is said often: one press. */
  phrases: readonly string[]
  /** What follows, in words. */
  consequence?: string
}

/** What may be decided of a case. */
export interface ReviewDecision {
  key: string
  label: string
  /** The letter that does it: A passes, R rejects. */
  hotkey: string
  primary?: boolean
  danger?: boolean
  /** Says why it cannot be decided so now; absent when it can. */
  unavailable?: string | undefined
  reason?: AskedReason
  /** Tells the server; `reason` is empty where none is asked for. */
  send?(reason: string, options: CallOptions): Promise<unknown>
  /** Instead of that: opens what the page decides by. */
  open?(): void
}

/** What was decided of a case. */
export interface Outcome {
  /** `通过`, `驳回`. */
  act: string
  /** Who did; empty when nobody may know. */
  by: string
  /** Epoch ms. */
  at_ms: number | null
}

/** The right side. */
export interface CaseView<Case extends { version: number }> extends Omit<RecordParts<Case>, 'id' | 'query' | 'title'> {
  title(it: Case): string
  load(id: string, signal: AbortSignal): Promise<Case>
  decisions(it: Case): readonly ReviewDecision[]
  /** What was decided of it; null as long as it waits. */
  outcome(it: Case): Outcome | null
  /** Codes of refusals that say that it was decided meanwhile, beside a stale version: `certification-not-now`. */
  overtaken: readonly string[]
}

/** Another version than the one that was seen. */
export const STALE = 'stale-version'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** How long something waits, in words. */
export function spanOf(span_ms: number): string {
  if (span_ms < MINUTE_MS) return '刚刚'
  if (span_ms < HOUR_MS) return `${Math.floor(span_ms / MINUTE_MS)} 分钟`
  if (span_ms < DAY_MS) return `${Math.floor(span_ms / HOUR_MS)} 小时 ${Math.floor((span_ms % HOUR_MS) / MINUTE_MS)} 分`
  return `${Math.floor(span_ms / DAY_MS)} 天 ${Math.floor((span_ms % DAY_MS) / HOUR_MS)} 小时`
}

export interface Waiting {
  text: string
  tone: 'calm' | 'near' | 'over'
}

/** How long a case has waited at `now_ms`, and how near that is to its limit: near from half of it. */
export function waitingOf(since_ms: number, now_ms: number, limit_ms?: number): Waiting {
  const waited_ms = Math.max(0, now_ms - since_ms)
  const text = spanOf(waited_ms)
  if (limit_ms === undefined || waited_ms < limit_ms / 2) return { text, tone: 'calm' }
  return waited_ms < limit_ms ? { text, tone: 'near' } : { text: `${text} · 超时`, tone: 'over' }
}

/** The case that follows when `open` is decided: the one behind it, at the end the one before it. */
export function followerOf(keys: readonly string[], open: string): string | null {
  const at = keys.indexOf(open)
  if (at < 0) return keys[0] ?? null
  return keys[at + 1] ?? keys[at - 1] ?? null
}

/** What is said of a case that somebody else decided first. */
export function overtakenText(title: string, { act, by, at_ms }: Outcome): string {
  const when = at_ms === null ? '' : `于 ${formatTime(at_ms).slice(11, 16)} `
  return `「${title}」已由 ${by === '' ? '其他人' : by} ${when}${act}，未重复处理`
}

/** `text` with a phrase added, or without it when it is there; as long as `max` allows. */
export function withPhrase(text: string, phrase: string, max: number): string {
  const parts = text.split('；').map((part) => part.trim()).filter(Boolean)
  const next = parts.includes(phrase) ? parts.filter((part) => part !== phrase) : [...parts, phrase]
  const joined = next.join('；')
  return joined.length > max ? text : joined
}

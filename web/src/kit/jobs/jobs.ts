/** Work that takes a while: what is known of each job, and which may begin. Pure. */
import type { ReactNode } from 'react'

/** So many work at once; the others wait for their turn. */
export const AT_ONCE = 3
/** So many are kept; those that are over go first. */
export const MOST_JOBS = 30
export const TOO_MANY = '进行中的任务太多，请等其中一些完成后再试'

export type JobState = 'waiting' | 'running' | 'stopping' | 'done' | 'failed' | 'cancelled'

export interface Progress {
  done: number
  /** Null where nobody knows. */
  total: number | null
  /** What is counted, as in `3 人`; absent: bytes. */
  counter?: string
}

/** What came of it. */
export interface Result {
  kind: 'success' | 'warning'
  text: string
  /** More than a sentence, for who wants to look. */
  details?: ReactNode
  /** It was cancelled before all was done. */
  stopped?: boolean
}

export interface Job {
  id: number
  /** Two with the same key are not under way at once. */
  key: string | null
  title: string
  state: JobState
  progress: Progress | null
  result: Result | null
  /** Why it failed. */
  why: string | null
}

/** In the order in which they were begun. */
export type Jobs = readonly Job[]

export type JobAct =
  | { kind: 'add'; id: number; title: string; key: string | null }
  | { kind: 'run'; id: number }
  | { kind: 'report'; id: number; progress: Progress }
  | { kind: 'finish'; id: number; result: Result }
  | { kind: 'fail'; id: number; why: string }
  | { kind: 'cancel'; id: number }
  /** What was asked to stop has stopped, with nothing to show. */
  | { kind: 'stopped'; id: number }
  | { kind: 'retry'; id: number }
  /** Those that are over go. */
  | { kind: 'clear' }
  | { kind: 'forget' }

/** Whether it is not over yet. */
export function isActive({ state }: Pick<Job, 'state'>): boolean {
  return state === 'waiting' || state === 'running' || state === 'stopping'
}

export function activeCount(jobs: Jobs): number {
  return jobs.filter(isActive).length
}

/** Whether one with this key is not over yet. */
export function isUnderWay(jobs: Jobs, key: string | null): boolean {
  return key !== null && jobs.some((job) => job.key === key && isActive(job))
}

/** Whether another may be begun. */
export function hasRoom(jobs: Jobs): boolean {
  return activeCount(jobs) < MOST_JOBS
}

/** Those whose turn it is. */
export function startable(jobs: Jobs): readonly number[] {
  const working = jobs.filter(({ state }) => state === 'running' || state === 'stopping').length
  const waiting = jobs.filter(({ state }) => state === 'waiting')
  return waiting.slice(0, Math.max(AT_ONCE - working, 0)).map(({ id }) => id)
}

/** `jobs` without the oldest that are over, so that one more has room. */
function withRoom(jobs: Jobs): Jobs {
  let surplus = jobs.length - MOST_JOBS + 1
  return jobs.filter((job) => isActive(job) || (surplus -= 1) < 0)
}

function changed(job: Job, jobs: Jobs, act: JobAct): Job {
  switch (act.kind) {
    case 'run':
      return job.state === 'waiting' ? { ...job, state: 'running' } : job
    case 'report':
      return job.state === 'running' || job.state === 'stopping' ? { ...job, progress: act.progress } : job
    case 'finish':
      return { ...job, state: act.result.stopped ? 'cancelled' : 'done', result: act.result }
    case 'fail':
      return { ...job, state: 'failed', why: act.why }
    case 'cancel':
      if (job.state === 'waiting') return { ...job, state: 'cancelled' }
      return job.state === 'running' ? { ...job, state: 'stopping' } : job
    case 'stopped':
      return { ...job, state: 'cancelled' }
    case 'retry':
      if (job.state !== 'failed' || isUnderWay(jobs, job.key)) return job
      return { ...job, state: 'waiting', progress: null, why: null }
    default:
      return job
  }
}

export function reduce(jobs: Jobs, act: JobAct): Jobs {
  switch (act.kind) {
    case 'add': {
      if (isUnderWay(jobs, act.key) || !hasRoom(jobs)) return jobs
      const { id, title, key } = act
      return [...withRoom(jobs), { id, title, key, state: 'waiting', progress: null, result: null, why: null }]
    }
    case 'clear':
      return jobs.filter(isActive)
    case 'forget':
      return []
    default:
      return jobs.map((job) => (job.id === act.id ? changed(job, jobs, act) : job))
  }
}

const KIB = 1024

/** `812 B`, `1.2 MB`. */
export function bytesText(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`
  return bytes < KIB * KIB ? `${(bytes / KIB).toFixed(0)} KB` : `${(bytes / KIB / KIB).toFixed(1)} MB`
}

/** `200 / 450 人`, `已接收 1.2 MB`. */
export function progressText({ done, total, counter }: Progress): string {
  const said = (count: number) => (counter === undefined ? bytesText(count) : count.toLocaleString('zh-CN'))
  const unit = counter === undefined ? '' : ` ${counter}`
  if (total === null) return `${counter === undefined ? '已接收' : '已处理'} ${said(done)}${unit}`
  return `${said(done)} / ${said(total)}${unit}`
}

/** Whole percent; null where nobody knows. */
export function percentOf(progress: Progress | null): number | null {
  if (progress === null || progress.total === null || progress.total <= 0) return null
  return Math.min(Math.floor((progress.done / progress.total) * 100), 100)
}

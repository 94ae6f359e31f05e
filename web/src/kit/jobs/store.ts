/** The jobs of this page of the browser. They belong to no page of the application, so they live on when it changes. */
import { useSyncExternalStore } from 'react'
import { failureText } from '@/api/client'
import { activeCount, hasRoom, isActive, isUnderWay, type Job, type JobAct, type Jobs, reduce, type Result, startable } from './jobs'

/** Tells how far it is; `total` is null where nobody knows, without a `counter` bytes are counted. */
export type Report = (done: number, total: number | null, counter?: string) => void

/** What a job is given. */
export interface Work {
  report: Report
  /** Aborted when it is cancelled. */
  signal: AbortSignal
}

export interface JobOrder {
  title: string
  /** Two with the same key are not under way at once. */
  key?: string
  /** What is said when it fails and nobody says why. */
  otherwise?: string
  run(work: Work): Promise<Result>
}

/** Progress is told at most so often. */
export const REPORT_MS = 100

let jobs: Jobs = []
let lastId = 0
const orders = new Map<number, JobOrder>()
const controllers = new Map<number, AbortController>()
const viewers = new Set<() => void>()
const listeners = new Set<(job: Job) => void>()

/** The browser then asks whoever leaves or reloads the page. */
function askFirst(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

function act(what: JobAct): void {
  const before = jobs
  jobs = reduce(jobs, what)
  const known = new Set(jobs.map(({ id }) => id))
  for (const id of orders.keys()) if (!known.has(id)) orders.delete(id)
  if (activeCount(jobs) > 0) window.addEventListener('beforeunload', askFirst)
  else window.removeEventListener('beforeunload', askFirst)
  for (const view of viewers) view()
  for (const job of jobs) {
    const wasActive = before.some((old) => old.id === job.id && isActive(old))
    if (wasActive && !isActive(job)) for (const listen of listeners) listen(job)
  }
  // One: that it runs is an act too, after which the next may begin.
  const [next] = startable(jobs)
  if (next !== undefined) void work(next)
}

/** Tells the last report of those that come in between. */
function reporter(id: number, signal: AbortSignal): { report: Report; end(): void } {
  let timer: ReturnType<typeof setTimeout> | null = null
  let latest: JobAct | null = null
  return {
    report: (done, total, counter) => {
      latest = { kind: 'report', id, progress: { done, total, ...(counter === undefined ? {} : { counter }) } }
      timer ??= setTimeout(() => {
        timer = null
        if (latest && !signal.aborted) act(latest)
      }, REPORT_MS)
    },
    end: () => {
      if (timer !== null) clearTimeout(timer)
    },
  }
}

async function work(id: number): Promise<void> {
  const order = orders.get(id)
  if (!order) return
  const controller = new AbortController()
  const { signal } = controller
  controllers.set(id, controller)
  const { report, end } = reporter(id, signal)
  act({ kind: 'run', id })
  let outcome: JobAct
  try {
    outcome = { kind: 'finish', id, result: await order.run({ report, signal }) }
  } catch (error) {
    outcome = signal.aborted ? { kind: 'stopped', id } : { kind: 'fail', id, why: failureText(error, order.otherwise) }
  }
  end()
  controllers.delete(id)
  act(outcome)
}

/** Begins it, or lets it wait for its turn. False when one like it is under way already, or too many are. */
export function startJob(order: JobOrder): boolean {
  const key = order.key ?? null
  if (isUnderWay(jobs, key) || !hasRoom(jobs)) return false
  lastId += 1
  orders.set(lastId, order)
  act({ kind: 'add', id: lastId, title: order.title, key })
  return true
}

export function cancelJob(id: number): void {
  act({ kind: 'cancel', id })
  controllers.get(id)?.abort()
}

/** Does a failed one once more. */
export function retryJob(id: number): void {
  act({ kind: 'retry', id })
}

/** Those that are over are shown no longer. */
export function clearJobs(): void {
  act({ kind: 'clear' })
}

/** Cancels all and shows none: who began them is gone. */
export function forgetJobs(): void {
  const running = [...controllers.values()]
  act({ kind: 'forget' })
  for (const controller of running) controller.abort()
}

/** Tells of each job that is over now. */
export function onSettled(listener: (job: Job) => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

function watch(changed: () => void): () => void {
  viewers.add(changed)
  return () => void viewers.delete(changed)
}

export function currentJobs(): Jobs {
  return jobs
}

export function useJobs(): Jobs {
  return useSyncExternalStore(watch, currentJobs)
}

/** How many are not over. */
export function useActiveCount(): number {
  return useSyncExternalStore(watch, () => activeCount(jobs))
}

/** Whether one with this key is not over. */
export function useUnderWay(key: string): boolean {
  return useSyncExternalStore(watch, () => isUnderWay(jobs, key))
}

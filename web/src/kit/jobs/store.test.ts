import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Refusal } from '@/api/client'
import { AT_ONCE, type Job, type Result } from './jobs'
import { cancelJob, clearJobs, currentJobs, forgetJobs, type JobOrder, onSettled, REPORT_MS, retryJob, startJob, type Work } from './store'

interface Begun extends Work {
  title: string
  finish(result?: Partial<Result>): void
  fail(error: unknown): void
}

const begun: Begun[] = []
const settled: Job[] = []
let quiet = () => {}

/** Work that ends when the test says so, and breaks off when it is cancelled. */
function order(title: string, more: Partial<JobOrder> = {}): JobOrder {
  const run = (work: Work) =>
    new Promise<Result>((resolve, reject) => {
      work.signal.addEventListener('abort', () => reject(new DOMException('', 'AbortError')))
      begun.push({ ...work, title, finish: (result) => resolve({ kind: 'success', text: '好', ...result }), fail: reject })
    })
  return { title, run, ...more }
}

const states = () => currentJobs().map(({ title, state }) => `${title} ${state}`)
const idOf = (title: string) => currentJobs().find((job) => job.title === title)?.id ?? -1
const workOf = (title: string) => begun.findLast((one) => one.title === title) as Begun
const soon = () => new Promise((wake) => setTimeout(wake))
/** Whether the browser asks who leaves. */
const asks = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))

beforeEach(() => {
  quiet = onSettled((job) => settled.push(job))
})
afterEach(() => {
  quiet()
  forgetJobs()
  begun.length = 0
  settled.length = 0
  vi.useRealTimers()
})

describe('the jobs of a page', () => {
  it('no more than the bound work at once; each that is over lets the next begin', async () => {
    for (let n = 0; n < AT_ONCE + 2; n += 1) startJob(order(`j${n}`))
    expect(begun.map(({ title }) => title)).toEqual(['j0', 'j1', 'j2'])
    workOf('j1').finish()
    await soon()
    expect(begun.map(({ title }) => title)).toEqual(['j0', 'j1', 'j2', 'j3'])
    workOf('j0').fail(new Refusal('x', '不行'))
    await soon()
    expect(states()).toEqual(['j0 failed', 'j1 done', 'j2 running', 'j3 running', 'j4 running'])
    expect(settled.map(({ title }) => title)).toEqual(['j1', 'j0'])
  })

  it('cancelling aborts the work, and what waits never begins', async () => {
    for (let n = 0; n < AT_ONCE + 1; n += 1) startJob(order(`j${n}`))
    cancelJob(idOf(`j${AT_ONCE}`))
    cancelJob(idOf('j0'))
    expect(workOf('j0').signal.aborted).toBe(true)
    await soon()
    expect(states()).toEqual(['j0 cancelled', 'j1 running', 'j2 running', 'j3 cancelled'])
    expect(begun).toHaveLength(AT_ONCE)
  })

  it('a failure says why, and the work is done once more when it is asked for', async () => {
    startJob(order('j', { otherwise: '导出失败' }))
    workOf('j').fail(new Error('unknown'))
    await soon()
    expect(currentJobs()[0]).toMatchObject({ state: 'failed', why: '导出失败' })
    retryJob(idOf('j'))
    expect(begun).toHaveLength(2)
    workOf('j').finish({ text: '已导出 2 条' })
    await soon()
    expect(currentJobs()[0]).toMatchObject({ state: 'done', why: null, result: { text: '已导出 2 条' } })
  })

  it('the same is not begun twice at once', async () => {
    expect(startJob(order('j', { key: 'k' }))).toBe(true)
    expect(startJob(order('j', { key: 'k' }))).toBe(false)
    workOf('j').finish()
    await soon()
    expect(startJob(order('j', { key: 'k' }))).toBe(true)
  })

  it('progress is told at most so often, the latest', () => {
    vi.useFakeTimers()
    startJob(order('j'))
    const { report } = workOf('j')
    for (let n = 1; n <= 50; n += 1) report(n, 100, '条')
    expect(currentJobs()[0]?.progress).toBeNull()
    vi.advanceTimersByTime(REPORT_MS)
    expect(currentJobs()[0]?.progress).toEqual({ done: 50, total: 100, counter: '条' })
  })

  it('who leaves the browser page is asked while something is under way, and only then', async () => {
    expect(asks()).toBe(false)
    startJob(order('j'))
    expect(asks()).toBe(true)
    workOf('j').finish()
    await soon()
    expect(asks()).toBe(false)
    // Else calls that fail in the tests to come would pass for those of a page that goes.
    window.dispatchEvent(new Event('pageshow'))
  })

  it('all are cancelled and gone when their person is, and say nothing afterwards', async () => {
    for (let n = 0; n < AT_ONCE + 1; n += 1) startJob(order(`j${n}`))
    forgetJobs()
    expect(currentJobs()).toEqual([])
    expect(begun.every(({ signal }) => signal.aborted)).toBe(true)
    expect(begun).toHaveLength(AT_ONCE)
    await soon()
    expect([currentJobs(), settled]).toEqual([[], []])
    expect(asks()).toBe(false)
    window.dispatchEvent(new Event('pageshow'))
  })

  it('what is over is shown until it is cleared', async () => {
    startJob(order('j0'))
    startJob(order('j1'))
    workOf('j0').finish()
    await soon()
    clearJobs()
    expect(states()).toEqual(['j1 running'])
  })
})

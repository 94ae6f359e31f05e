import { describe, expect, it } from 'vitest'
import { AT_ONCE, bytesText, isUnderWay, type JobAct, type Jobs, MOST_JOBS, percentOf, progressText, reduce, startable } from './jobs'

const add = (id: number, key: string | null = null): JobAct => ({ kind: 'add', id, title: `t${id}`, key })
const after = (...acts: JobAct[]): Jobs => acts.reduce(reduce, [])
const run = (id: number): JobAct => ({ kind: 'run', id })
const done = (id: number): JobAct => ({ kind: 'finish', id, result: { kind: 'success', text: '好' } })
const failed = (id: number): JobAct => ({ kind: 'fail', id, why: '坏' })
const stateOf = (jobs: Jobs, id: number) => jobs.find((job) => job.id === id)?.state
const many = (count: number) => Array.from({ length: count }, (_, id) => add(id))

describe('jobs', () => {
  it('so many work at once, the others wait in their order; what stops still works', () => {
    const waiting = after(...many(AT_ONCE + 2))
    expect(startable(waiting)).toEqual([0, 1, 2])
    const full = [run(0), run(1), run(2)].reduce(reduce, waiting)
    expect(startable(full)).toEqual([])
    expect(startable(reduce(full, { kind: 'cancel', id: 1 }))).toEqual([])
    expect(startable(reduce(full, done(1)))).toEqual([3])
  })

  it('one that waits is cancelled at once, one that works when it has stopped', () => {
    expect(stateOf(after(add(1), { kind: 'cancel', id: 1 }), 1)).toBe('cancelled')
    const stopping = after(add(1), run(1), { kind: 'cancel', id: 1 })
    expect(stateOf(stopping, 1)).toBe('stopping')
    expect(stateOf(reduce(stopping, { kind: 'stopped', id: 1 }), 1)).toBe('cancelled')
    const partly: JobAct = { kind: 'finish', id: 1, result: { kind: 'warning', text: '一半', stopped: true } }
    expect(stateOf(reduce(stopping, partly), 1)).toBe('cancelled')
    // It was over before it could stop.
    expect(stateOf(reduce(stopping, done(1)), 1)).toBe('done')
  })

  it('of one key one is under way; when it is over another may be', () => {
    const first = after(add(1, 'a'), add(2, 'a'))
    expect(first.map(({ id }) => id)).toEqual([1])
    expect(isUnderWay(first, 'a')).toBe(true)
    expect(reduce(reduce(first, done(1)), add(3, 'a')).map(({ id }) => id)).toEqual([1, 3])
    expect(after(add(1), add(2))).toHaveLength(2)
  })

  it('a failed one begins anew, without what was known of it; not while another like it works, and no other state does', () => {
    const broken = after(add(1, 'a'), run(1), { kind: 'report', id: 1, progress: { done: 1, total: 2 } }, failed(1))
    expect(broken[0]).toMatchObject({ state: 'failed', why: '坏' })
    expect(reduce(broken, { kind: 'retry', id: 1 })[0]).toMatchObject({ state: 'waiting', why: null, progress: null })
    const other = reduce(broken, add(2, 'a'))
    expect(reduce(other, { kind: 'retry', id: 1 })).toEqual(other)
    const over = after(add(1), run(1), done(1))
    expect(reduce(over, { kind: 'retry', id: 1 })).toEqual(over)
  })

  it('what is over can be cleared, and goes first when there are too many', () => {
    const some = after(add(1), run(1), done(1), add(2), run(2), failed(2), add(3))
    expect(reduce(some, { kind: 'clear' }).map(({ id }) => id)).toEqual([3])
    const full = after(...many(MOST_JOBS))
    expect(reduce(full, add(99))).toBe(full)
    const room = [run(0), done(0), run(1), done(1)].reduce(reduce, full)
    const next = reduce(room, add(99))
    expect(next).toHaveLength(MOST_JOBS)
    expect([stateOf(next, 0), stateOf(next, 1), stateOf(next, 99)]).toEqual([undefined, 'done', 'waiting'])
  })

  it('says how far it is', () => {
    expect(progressText({ done: 200, total: 1450, counter: '人' })).toBe('200 / 1,450 人')
    expect(progressText({ done: 1_300_000, total: null })).toBe('已接收 1.2 MB')
    expect(progressText({ done: 900, total: 20_480 })).toBe('900 B / 20 KB')
    expect(bytesText(0)).toBe('0 B')
    expect([percentOf(null), percentOf({ done: 1, total: null }), percentOf({ done: 0, total: 0 })]).toEqual([null, null, null])
    expect([percentOf({ done: 999, total: 1000 }), percentOf({ done: 5, total: 4 })]).toEqual([99, 100])
  })
})

import { useQueryClient } from '@tanstack/react-query'
import { App } from 'antd'
import type { CallOptions } from '@/api/client'
import { type Result, TOO_MANY } from '../jobs/jobs'
import { startJob, type Work } from '../jobs/store'
import { tellResult } from '../jobs/tell'
import { type Danger, useDangerousConfirm } from '../useDangerousConfirm'
import { type BatchAnswer, type Fate, namesOf, runBatches, summaryOf } from './batch'

/** Most things that one call of the server takes. */
export const AT_ONCE = 200

/** What the rows of a list are, for acts on many of them. */
export interface Batch<Row> {
  /** What a call names a row by. */
  keyOf(row: Row): string
  /** What people know a row by. */
  called(row: Row): string
  /** The same in short, for a question that names several; as `called` when absent. */
  short?(row: Row): string
  /** As in `3 人`, `3 个角色`. */
  counter: string
  /** Query keys that are stale afterwards. */
  stale: readonly (readonly unknown[])[]
}

/** One act on many rows. */
interface BatchAct<Row> {
  /** The act, as on its button: `批量停用`. */
  act: string
  /** The same in a word, as in `已停用`. */
  verb: string
  /** Those that it concerns. */
  rows: readonly Row[]
  /** What is said when it concerns none. */
  none: string
  /** What follows, in words. */
  consequence: string
  /** At most so many in a call. */
  atOnce?: number
  /** What must be said with it; nothing is asked when absent. */
  reason?: Danger['reason']
  /** `reason` is empty when none was asked for. */
  run(keys: string[], options: CallOptions, reason: string): Promise<BatchAnswer>
}

/** Sends the calls, one after the other; in the end what became of each. */
async function resultOf<Row>({ keyOf, called, counter }: Batch<Row>, { verb, rows, run, atOnce = AT_ONCE }: BatchAct<Row>, reason: string, job?: Work): Promise<Result> {
  const fates = await runBatches(
    rows.map(keyOf),
    atOnce,
    (keys) => run(keys, { quiet: true }, reason),
    (count) => job?.report(count, rows.length, counter),
    job?.signal,
  )
  const text = summaryOf(fates, verb, counter)
  if (fates.every(({ kind }) => kind === 'done')) return { kind: 'success', text }
  const details = <Outcomes names={rows.map(called)} fates={fates} verb={verb} />
  return { kind: 'warning', text, details, stopped: job?.signal.aborted === true && fates.some(({ kind }) => kind === 'unsent') }
}

/**
 * Acts on many rows after a question: one call for as many as the server takes, as a job when that is more than one,
 * and in the end what became of each. `done` is called when all is on its way.
 */
export function useBatch<Row>(batch: Batch<Row>) {
  const { called, short = called, counter, stale } = batch
  const ask = useDangerousConfirm()
  const client = useQueryClient()
  const { message, modal } = App.useApp()

  const work = async (act: BatchAct<Row>, reason: string, job?: Work) => {
    const result = await resultOf(batch, act, reason, job)
    await Promise.all(stale.map((queryKey) => client.invalidateQueries({ queryKey })))
    return result
  }

  return (act: BatchAct<Row>, done: () => void) => {
    const { rows, atOnce = AT_ONCE } = act
    if (rows.length === 0) return void message.info(act.none)
    const inOne = async (reason: string) => {
      const result = await work(act, reason)
      done()
      tellResult(result, { message, modal })
    }
    // The question does not wait for it, and neither does the page.
    const inSeveral = async (reason: string) => {
      const begun = startJob({ title: `${act.act} ${rows.length} ${counter}`, run: (job) => work(act, reason, job) })
      if (begun) done()
      else void message.warning(TOO_MANY)
    }
    ask({
      act: act.act,
      name: namesOf(rows.map(short), counter),
      consequence: `共 ${rows.length} ${counter}。${act.consequence}`,
      ...(act.reason ? { reason: act.reason } : {}),
      onConfirm: rows.length > atOnce ? inSeveral : inOne,
    })
  }
}

/** What became of each, those first that need looking at. */
export function Outcomes({ names, fates, verb }: { names: readonly string[]; fates: readonly Fate[]; verb: string }) {
  const groups = [
    ['refused', '未能处理'],
    ['unknown', '结果未知，请刷新后核对'],
    ['unsent', '没有提交，可以重新选择后再试'],
    ['done', `已${verb}`],
  ] as const
  return (
    <div className="batch-outcomes">
      {groups.map(([kind, title]) => {
        const members = fates.flatMap((fate, index) => (fate.kind === kind ? [{ fate, index }] : []))
        if (members.length === 0) return null
        return (
          <section key={kind} aria-label={title}>
            <h3>
              {title} <span className="figure weak">{members.length}</span>
            </h3>
            <ul>
              {members.map(({ fate, index }) => (
                <li key={index}>
                  <span>{names[index]}</span>
                  {'why' in fate && <span className="weak">{fate.why}</span>}
                </li>
              ))}
            </ul>
          </section>
        )
      })}
    </div>
  )
}

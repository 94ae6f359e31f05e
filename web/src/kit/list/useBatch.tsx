import { useQueryClient } from '@tanstack/react-query'
import { App, Button, Space } from 'antd'
import { useState } from 'react'
import type { CallOptions } from '@/api/client'
import { type Result, TOO_MANY } from '../jobs/jobs'
import { startJob, type Work } from '../jobs/store'
import { tellResult } from '../jobs/tell'
import { type Danger, useDangerousConfirm } from '../useDangerousConfirm'
import { csvText, saveFile } from './csv'
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

/** Sends the calls, one after the other; in the end what became of each. `again` does it once more with those that were not done. */
async function resultOf<Row>(
  { keyOf, called, counter }: Batch<Row>,
  { act, verb, rows, run, atOnce = AT_ONCE }: BatchAct<Row>,
  reason: string,
  again: (rows: readonly Row[]) => void,
  job?: Work,
): Promise<Result> {
  const fates = await runBatches(
    rows.map(keyOf),
    atOnce,
    (keys) => run(keys, { quiet: true }, reason),
    (count) => job?.report(count, rows.length, counter),
    job?.signal,
  )
  const text = summaryOf(fates, verb, counter)
  if (fates.every(({ kind }) => kind === 'done')) return { kind: 'success', text }
  const undone = rows.filter((_, index) => fates[index]?.kind !== 'done')
  const names = rows.map(called)
  const details = (
    <>
      <Outcomes names={names} fates={fates} verb={verb} />
      <UndoneTools onSave={() => saveFile(`${act}未完成.csv`, undoneCsv(names, fates))} onAgain={() => again(undone)} />
    </>
  )
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

  const asJob = (act: BatchAct<Row>, reason: string): boolean =>
    startJob({ title: `${act.act} ${act.rows.length} ${counter}`, run: (job) => work(act, reason, job) })
  const work = async (act: BatchAct<Row>, reason: string, job?: Work): Promise<Result> => {
    const again = (rows: readonly Row[]) => {
      if (!asJob({ ...act, rows }, reason)) void message.warning(TOO_MANY)
    }
    const result = await resultOf(batch, act, reason, again, job)
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
      if (asJob(act, reason)) done()
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

const FATES: Readonly<Record<Exclude<Fate['kind'], 'done'>, string>> = { refused: '未能处理', unknown: '结果未知', unsent: '没有提交' }

/** What was not done, with why, as a file. */
export function undoneCsv(names: readonly string[], fates: readonly Fate[]): string {
  const lines = fates.flatMap((fate, index) => (fate.kind === 'done' ? [] : [[names[index] ?? '', FATES[fate.kind], 'why' in fate ? fate.why : '']]))
  return csvText([['名称', '结果', '原因'], ...lines])
}

/** What can be done about those that were not done. */
function UndoneTools({ onSave, onAgain }: { onSave(): void; onAgain(): void }) {
  const [again, setAgain] = useState(false)
  const retry = () => {
    setAgain(true)
    onAgain()
  }
  return (
    <Space className="batch-undone">
      <Button size="small" onClick={onSave}>
        下载未完成明细
      </Button>
      <Button size="small" disabled={again} onClick={retry}>
        {again ? '已重新提交，进度见页面右上角' : '重试未完成的'}
      </Button>
    </Space>
  )
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

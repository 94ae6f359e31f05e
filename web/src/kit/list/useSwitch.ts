import type { CallOptions } from '@/api/client'
import { useAskedCommand } from '../useAskedCommand'
import type { BatchAnswer } from './batch'
import type { BatchAction, RowAction } from './ListPage'
import { type Batch, useBatch } from './useBatch'

/** Rows that are enabled (1) and disabled (0). */
interface Switched<Row> extends Batch<Row> {
  /** `角色`. */
  noun: string
  /** Said when it is done: `角色状态已更新`; or of what was answered. */
  done: string | ((output: unknown) => string)
  /** What follows for these, in words. */
  consequence(rows: readonly Row[], enable: boolean): string
  /** Those that may be switched; all when absent. */
  may?(row: Row): boolean
  /** Of several, said when none is left to switch. */
  none?(verb: string): string
  switchOne(key: string, state: 0 | 1, options: CallOptions): Promise<unknown>
  switchMany(keys: string[], state: 0 | 1, options: CallOptions): Promise<BatchAnswer>
}

/** Enabling and disabling a row and many of them, each after a question; of many each is judged alone. */
export function useSwitch<Row extends { state: number }>(rows: Switched<Row>) {
  const { noun, done, stale, keyOf, called, consequence, may = () => true } = rows
  const none = rows.none ?? ((verb: string) => `所选${noun}都已${verb}`)
  const runOne = useAskedCommand({
    run: ({ key, state }: { key: string; state: 0 | 1 }, options) => rows.switchOne(key, state, options),
    stale,
    done,
  })
  const runMany = useBatch(rows)

  const rowAction = (row: Row): RowAction => {
    const enable = row.state === 0
    const verb = enable ? '启用' : '停用'
    const danger = { act: `${verb}${noun}`, name: called(row), consequence: consequence([row], enable) }
    return { key: 'state', label: verb, onRun: () => runOne({ key: keyOf(row), state: enable ? 1 : 0 }, danger) }
  }
  const batchAction = (enable: boolean): BatchAction<Row> => {
    const [key, verb, state] = enable ? (['enable', '启用', 1] as const) : (['disable', '停用', 0] as const)
    const act = `批量${verb}`
    const run = (chosen: readonly Row[], over: () => void) => {
      const concerned = chosen.filter((row) => may(row) && row.state !== state)
      runMany(
        {
          act,
          verb,
          rows: concerned,
          none: none(verb),
          consequence: consequence(concerned, enable),
          run: (keys, options) => rows.switchMany(keys, state, options),
        },
        over,
      )
    }
    return { key, label: act, danger: !enable, onRun: run }
  }
  return { rowAction, batchActions: [batchAction(true), batchAction(false)] }
}

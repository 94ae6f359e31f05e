/** The filters of the log: what the address holds, and what the server is asked. Pure. */
import type { LogQuery } from './log'
import { type Limits, limitsOf, type Range } from '@/kit/list/range'

/** Names in the address. */
export const filterNames = ['actorKind', 'opManId', 'act', 'target', 'result', 'traceId'] as const
export type LogFilters = Partial<Record<(typeof filterNames)[number], string>>

/** Whose lines: people's without a choice. What machines did is in the history of each thing; here are their refused commands. */
export const actorKinds = [
  { value: '1', label: '人员' },
  { value: '2', label: '被拒的机器' },
  { value: 'all', label: '全部' },
] as const
export const PEOPLE = '1'
export const EVERYBODY = 'all'

/** Marks an act that stands for a whole category. */
const WHOLE = '@'

export function wholeCategory(category: string): string {
  return WHOLE + category
}

export function readFilters(params: URLSearchParams): LogFilters {
  return Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = params.get(name)?.trim()
      return value ? [[name, value] as const] : []
    }),
  )
}

/** What the server is asked, without the page. */
export function logQuery({ act, actorKind = PEOPLE, ...filters }: LogFilters, limits: Limits): LogQuery {
  const acted: LogQuery = act === undefined ? {} : act.startsWith(WHOLE) ? { category: act.slice(WHOLE.length) } : { action: act }
  const kind: LogQuery = actorKind === EVERYBODY ? {} : { actorKind }
  return { ...filters, ...kind, ...acted, ...limits }
}

/** The same for a range that moves with the clock. */
export function queryNow(filters: LogFilters, range: Range, now: number): LogQuery {
  return logQuery(filters, limitsOf(range, now))
}

/** Filters of a list whose address says it otherwise than the route is asked: ranges of days, areas. Pure. */
import type { Filter, Filters } from './description'
import { isQuick, limitsOf, type Range } from './range'

type Times = Pick<Extract<Filter, { kind: 'times' }>, 'from' | 'to'>

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Held by its name in `from`, so that it moves with the clock, or by two days; anything else is all of time. */
export function rangeOf({ from, to }: Times, values: Filters): Range {
  const [start = '', end = ''] = [values[from], values[to]]
  if (isQuick(start)) return start
  return DAY.test(start) && DAY.test(end) && start <= end ? { start, end } : 'all'
}

/** `values` with this range; empty ones are none. */
export function withRange({ from, to }: Times, values: Filters, range: Range): Filters {
  const [start, end] = typeof range === 'string' ? [range === 'all' ? '' : range, ''] : [range.start, range.end]
  return { ...values, [from]: start, [to]: end }
}

/** What a route is asked for the filters of an address: days become written times of the operation, an area says whose it is. */
export function queryOf(filters: readonly Filter[], values: Filters, now: number): Filters {
  const query = { ...values }
  for (const filter of filters) {
    if (filter.kind === 'area' && values[filter.area]) delete query[filter.agent]
    if (filter.kind !== 'times') continue
    const range = rangeOf(filter, values)
    const written = typeof range === 'string' ? range : { start: `${range.start} 00:00:00`, end: `${range.end} 23:59:59` }
    const { startTime, endTime } = limitsOf(written, now)
    delete query[filter.from]
    delete query[filter.to]
    if (startTime) query[filter.from] = startTime
    if (endTime) query[filter.to] = endTime
  }
  return query
}

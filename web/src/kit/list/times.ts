/** Filters of a list whose address says it otherwise than the route is asked: ranges of days, areas. Pure. */
import { type AnyList, type Filter, type Filters, filtersOf } from './description'
import { isQuick, limitsOf, type Range } from './range'

type Times = Pick<Extract<Filter, { kind: 'times' }>, 'from' | 'to' | 'usual'>

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Held by its name in `from`, so that it moves with the clock, or by two days; anything else is the usual one. */
export function rangeOf({ from, to, usual = 'all' }: Times, values: Filters): Range {
  const [start = '', end = ''] = [values[from], values[to]]
  if (isQuick(start)) return start
  return DAY.test(start) && DAY.test(end) && start <= end ? { start, end } : usual
}

/** `values` with this range; empty ones are none. */
export function withRange({ from, to, usual = 'all' }: Times, values: Filters, range: Range): Filters {
  const [start, end] = typeof range === 'string' ? [range === usual ? '' : range, ''] : [range.start, range.end]
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

/**
 * What a list is asked for: what its filters say, within what it is always asked for. An address that names something else
 * does not lead out of it.
 */
export function askedOf({ fixed = {}, ...list }: Pick<AnyList<never>, 'filters' | 'tabs' | 'fixed'>, values: Filters, now: number): Filters {
  const asked: Record<string, string> = { ...queryOf(filtersOf(list), values, now) }
  for (const [name, all] of Object.entries(fixed)) {
    const within = all.split(',')
    const chosen = (asked[name] ?? '').split(',').filter((value) => within.includes(value))
    asked[name] = chosen.length > 0 ? chosen.join(',') : all
  }
  return asked
}

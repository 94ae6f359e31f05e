/** The address of the log: filters, range, page, the open line and the running replay; the last range is remembered. */
import { useMemo } from 'react'
import { paths } from '@/app/routes'
import { PAGE_SIZE, pageSizes } from '@/kit/list/address'
import { useOverlaidParams } from '@/kit/list/overlay'
import type { Subject } from '@/kit/record/history'
import { EVERYBODY, filterNames, type LogFilters, readFilters, wholeCategory } from './filters'
import { isQuick, type Range, readRange, USUAL_RANGE, writeRange } from '@/kit/list/range'
import { type Replay, readReplay, writeReplay } from './replay'

const REMEMBERED = 'ebike_ops__operator_log_range'

export interface LogAddress {
  filters: LogFilters
  range: Range
  page: number
  pageSize: number
  /** Position of the line whose drawer is open. */
  open: string | null
  replay: Replay | null
}

function remembered() {
  const known = localStorage.getItem(REMEMBERED)
  return isQuick(known) ? known : USUAL_RANGE
}

export function readLogAddress(params: URLSearchParams, usual: ReturnType<typeof remembered>): LogAddress {
  const page = Number(params.get('page'))
  const pageSize = Number(params.get('pageSize'))
  const open = params.get('open')
  return {
    filters: readFilters(params),
    range: readRange(params, usual),
    page: Number.isInteger(page) && page > 0 ? page : 1,
    pageSize: pageSizes.some((size) => size === pageSize) ? pageSize : PAGE_SIZE,
    open: open !== null && /^\d{1,16}$/.test(open) ? open : null,
    replay: readReplay(params.get('replay')),
  }
}

/** `params` with what changes, leaving out what is usual. */
export function writeLogAddress(params: URLSearchParams, change: Partial<LogAddress>): URLSearchParams {
  const next = change.range === undefined ? new URLSearchParams(params) : writeRange(params, change.range)
  const set = (name: string, value: string | null | undefined) => {
    if (value === null || value === undefined || value === '') next.delete(name)
    else next.set(name, value)
  }
  if (change.filters) for (const name of filterNames) set(name, change.filters[name])
  if (change.page !== undefined) set('page', change.page === 1 ? null : String(change.page))
  if (change.pageSize !== undefined) set('pageSize', change.pageSize === PAGE_SIZE ? null : String(change.pageSize))
  if ('open' in change) set('open', change.open)
  if ('replay' in change) set('replay', change.replay && writeReplay(change.replay))
  return next
}

export function useLogAddress(): [LogAddress, (change: Partial<LogAddress>) => void] {
  const [params, write] = useOverlaidParams()
  const address = useMemo(() => readLogAddress(params, remembered()), [params])
  const change = (next: Partial<LogAddress>) => {
    if (typeof next.range === 'string') localStorage.setItem(REMEMBERED, next.range)
    write(writeLogAddress(params, next))
  }
  return [address, change]
}

/** Where the log shows all that people did to a thing, at any time. */
export function logAddressOf({ category, id }: Subject): string {
  const filters = { actorKind: EVERYBODY, act: wholeCategory(category), target: id }
  return `${paths.operatorLog}?${writeLogAddress(new URLSearchParams(), { filters, range: 'all' })}`
}

/** Where its history is replayed, the newest step first. */
export function replayAddressOf(subject: Subject): string {
  return `${paths.operatorLog}?${writeLogAddress(new URLSearchParams(), { replay: { ...subject, position: 0 } })}`
}

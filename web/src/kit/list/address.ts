/** The address remembers filters, page and the open row, so that a link shows what its sender saw. */
import { useMemo } from 'react'
import { type Filter, type Filters, namesOf } from './description'
import { useOverlaidParams } from './overlay'

export const pageSizes = [10, 20, 50, 100, 200] as const
export const PAGE_SIZE = 20

export interface ListAddress {
  filters: Filters
  page: number
  /** The place behind the page before, which this one begins at whatever came or went meanwhile; absent: by its number. */
  after?: string | undefined
  pageSize: number
  /** What the rows are ordered by, `-` before it when the other way round; null: as the route does by itself. */
  sort: string | null
  /** Key of the row whose drawer is open. */
  open: string | null
}

/** Reads an address; what makes no sense counts as absent. */
export function readAddress(params: URLSearchParams, filters: readonly Filter[], sorts: readonly string[] = []): ListAddress {
  const known = filters.flatMap(namesOf).flatMap((name) => {
    const value = params.get(name)
    return value === null || value === '' ? [] : [[name, value] as const]
  })
  const page = Number(params.get('page'))
  const after = params.get('after')
  const pageSize = Number(params.get('pageSize'))
  const sort = params.get('sort')
  return {
    filters: Object.fromEntries(known),
    page: Number.isInteger(page) && page > 0 ? page : 1,
    ...(after ? { after } : {}),
    pageSize: pageSizes.some((size) => size === pageSize) ? pageSize : PAGE_SIZE,
    sort: sort !== null && sorts.includes(sort.replace(/^-/, '')) ? sort : null,
    open: params.get('open'),
  }
}

/** Writes an address, leaving out what is usual. */
export function writeAddress(address: ListAddress): URLSearchParams {
  const params = new URLSearchParams(Object.entries(address.filters).filter(([, value]) => value !== ''))
  if (address.page !== 1) params.set('page', String(address.page))
  if (address.after !== undefined) params.set('after', address.after)
  if (address.pageSize !== PAGE_SIZE) params.set('pageSize', String(address.pageSize))
  if (address.sort !== null) params.set('sort', address.sort)
  if (address.open !== null) params.set('open', address.open)
  return params
}

export function useListAddress(
  filters: readonly Filter[],
  sorts: readonly string[],
): [ListAddress, (change: Partial<ListAddress>) => void] {
  const [params, write] = useOverlaidParams()
  const address = useMemo(() => readAddress(params, filters, sorts), [params, filters, sorts])
  const change = (next: Partial<ListAddress>) => {
    const own = new Set(['page', 'after', 'pageSize', 'sort', 'open', ...filters.flatMap(namesOf)])
    // Another page begins elsewhere.
    const elsewhere = next.page === undefined ? {} : { after: undefined }
    const others = [...params].filter(([name]) => !own.has(name))
    write(new URLSearchParams([...others, ...writeAddress({ ...address, ...elsewhere, ...next })]))
  }
  return [address, change]
}

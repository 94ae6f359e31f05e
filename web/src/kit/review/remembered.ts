/** The filters that a person left a queue with, kept in the browser. */
import type { Filters } from '../list/description'

const key = (id: string) => `ebike_ops__review_filters_${id}`

/** Those of `names`; nonsense counts as absent. */
export function readFilters(id: string, names: readonly string[]): Filters {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key(id)) ?? '')
    const entries = typeof stored === 'object' && stored !== null ? Object.entries(stored) : []
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => names.includes(entry[0]) && typeof entry[1] === 'string' && entry[1] !== ''))
  } catch {
    return {}
  }
}

export function keepFilters(id: string, filters: Filters): void {
  localStorage.setItem(key(id), JSON.stringify(filters))
}

/** Filters that a person saved for a list under a name, kept in the browser. */
import { useState } from 'react'
import type { Filters } from './description'

export interface SavedFilters {
  name: string
  values: Filters
}

/** Most of them for one list. */
export const MOST_SAVED = 20
/** Longest name. */
export const NAME_MAX = 20

const key = (id: string) => `ebike_ops__list_filters_${id}`

function isSaved(value: unknown): value is SavedFilters {
  const saved = value as Partial<SavedFilters> | null
  return typeof saved?.name === 'string' && typeof saved.values === 'object' && saved.values !== null
}

/** Reads what was stored; nonsense counts as absent. */
export function readSaved(text: string | null): SavedFilters[] {
  try {
    const stored: unknown = JSON.parse(text ?? '')
    return Array.isArray(stored) ? stored.filter(isSaved).slice(0, MOST_SAVED) : []
  } catch {
    return []
  }
}

/** With these under `name`, in the place of those that had it; null when there is no room for more. */
export function withSaved(saved: readonly SavedFilters[], name: string, values: Filters): SavedFilters[] | null {
  const at = saved.findIndex((one) => one.name === name)
  if (at >= 0) return saved.with(at, { name, values })
  return saved.length < MOST_SAVED ? [...saved, { name, values }] : null
}

export function useSaved(id: string): [readonly SavedFilters[], (next: readonly SavedFilters[]) => void] {
  const [saved, setSaved] = useState(() => readSaved(localStorage.getItem(key(id))))
  const keep = (next: readonly SavedFilters[]) => {
    localStorage.setItem(key(id), JSON.stringify(next))
    setSaved([...next])
  }
  return [saved, keep]
}

/** What a person chose for a list: density and columns, kept in the browser. */
import { useState } from 'react'
import type { Column } from './description'

export type Density = 'middle' | 'small'

export interface ListSettings {
  density: Density
  /** Keys of the columns that show. */
  shown: readonly string[]
}

const key = (id: string) => `ebike_ops__list_${id}`

function usual<Row>(columns: readonly Column<Row>[]): ListSettings {
  return { density: 'middle', shown: columns.filter((column) => !column.optional).map((column) => column.key) }
}

/** Reads stored settings, without columns that no longer exist. */
export function readSettings<Row>(text: string | null, columns: readonly Column<Row>[]): ListSettings {
  try {
    const stored = JSON.parse(text ?? '') as Partial<ListSettings>
    const shown = columns.map((column) => column.key).filter((one) => stored.shown?.includes(one))
    if (shown.length === 0) return usual(columns)
    return { density: stored.density === 'small' ? 'small' : 'middle', shown }
  } catch {
    return usual(columns)
  }
}

export function useListSettings<Row>(
  id: string,
  columns: readonly Column<Row>[],
): [ListSettings, (next: ListSettings) => void, () => void] {
  const [settings, setSettings] = useState(() => readSettings(localStorage.getItem(key(id)), columns))
  const keep = (next: ListSettings) => {
    localStorage.setItem(key(id), JSON.stringify(next))
    setSettings(next)
  }
  const reset = () => {
    localStorage.removeItem(key(id))
    setSettings(usual(columns))
  }
  return [settings, keep, reset]
}

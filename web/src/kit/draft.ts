/** Drafts of forms, kept for the tab so that a reload loses nothing. */
const PREFIX = 'ebike_ops__draft_'

export function readDraft<T>(id: string): Partial<T> | null {
  const text = sessionStorage.getItem(PREFIX + id)
  if (text === null) return null
  try {
    return JSON.parse(text) as Partial<T>
  } catch {
    return null
  }
}

export function writeDraft(id: string, values: unknown): void {
  sessionStorage.setItem(PREFIX + id, JSON.stringify(values))
}

export function dropDraft(id: string): void {
  sessionStorage.removeItem(PREFIX + id)
}

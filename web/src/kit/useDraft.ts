import { useState } from 'react'
import { dropDraft, readDraft, writeDraft } from './draft'

/** The draft of one form. */
export interface FormDraft<Kept> {
  /** What an earlier visit left unsaved; null when it left nothing, or when it was discarded. */
  restored: Partial<Kept> | null
  keep(values: Kept): void
  /** Drops the draft once this has been saved; a refusal, which the caller has said, keeps it. */
  saving(save: Promise<unknown>): Promise<void>
  discard(): void
}

/** Keeps what is written in a form until it is saved. The id names what is edited, and its version. */
export function useDraft<Kept>(id: string): FormDraft<Kept> {
  const [restored, setRestored] = useState(() => readDraft<Kept>(id))
  return {
    restored,
    keep: (values) => writeDraft(id, values),
    saving: (save) => save.then(() => dropDraft(id), () => undefined),
    discard: () => {
      dropDraft(id)
      setRestored(null)
    },
  }
}

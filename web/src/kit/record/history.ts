import { type ComponentType, createContext } from 'react'

/** Which record, in the words of the operator log. */
export interface Subject {
  /** As the log files it: `role`. */
  category: string
  id: string
}

/** What was done to a record: the application knows the log, the kit only gives it a place. */
export interface RecordHistory {
  /** The code that one needs to read it. */
  need: string
  /** `version` is that of the record: with a newer one there is more to tell. */
  Steps: ComponentType<Subject & { version: number }>
}

export const HistoryContext = createContext<RecordHistory | null>(null)

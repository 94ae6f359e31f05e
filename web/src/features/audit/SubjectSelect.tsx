import { RemoteSelect } from '@/kit/list/RemoteSelect'
import { subjectChoices } from './log'

interface SubjectSelectProps {
  label: string
  placeholder: string
  /** Whose things. */
  category: string
  value: string | undefined
  onChange(id: string | undefined, name: string | undefined): void
  width?: number
}

/** Finds a thing by part of its name, or by its id. */
export function SubjectSelect({ category, ...select }: SubjectSelectProps) {
  return <RemoteSelect choices={(keyword) => subjectChoices(category, keyword)} disabled={category === ''} {...select} />
}

import { ink } from '@/app/theme'
import { Dot } from '@/kit/StateTag'
import type { Result } from './log'

const colors: Readonly<Record<Result, string>> = { 1: ink.good, 2: ink.warning, 3: ink.danger }

/** How an act ended, in a word with its colour. */
export function ResultTag({ result, label }: { result: Result; label: string }) {
  return <Dot label={label} color={colors[result]} />
}

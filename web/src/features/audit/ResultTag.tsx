import { ink, page } from '@/kit/theme'
import { Dot } from '@/kit/StateTag'

/** By outcome: done, refused, failed. */
const colors: Readonly<Record<number, string>> = { 1: ink.good, 2: ink.warning, 3: ink.danger }

/** How an act ended, in a word with its colour. */
export function ResultTag({ result, label }: { result: number; label: string }) {
  return <Dot label={label} color={colors[result] ?? page.weakText} />
}

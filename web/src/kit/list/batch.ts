/** Acts on many rows: one call for as many as the server takes, and what became of each. Pure but for the call. */
import { failureText, Refusal } from '@/api/client'

/** What the server answers a batch; nothing of each when all of them, or just one, was done. */
export interface BatchAnswer {
  results?: readonly { key: string; suc: boolean; error: { promot: string } | null }[] | null
}

export type Fate =
  | { kind: 'done' }
  | { kind: 'refused'; why: string }
  /** No answer came, or none about this one: it may have been done. */
  | { kind: 'unknown'; why: string }
  /** A call before had no answer, or all was cancelled, so this one was not sent. */
  | { kind: 'unsent' }

/** `items` in pieces of at most `size`. */
export function pieces<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))
}

async function fatesOf(keys: readonly string[], run: (keys: string[]) => Promise<BatchAnswer>): Promise<Fate[]> {
  try {
    const { results } = await run([...keys])
    if (!results) return keys.map(() => ({ kind: 'done' }))
    const told = new Map(results.map((result) => [result.key, result]))
    return keys.map((key) => {
      const result = told.get(key)
      if (!result) return { kind: 'unknown', why: '服务器没有说明结果' }
      return result.suc ? { kind: 'done' } : { kind: 'refused', why: result.error?.promot ?? '服务器没有说明原因' }
    })
  } catch (error) {
    const why = failureText(error)
    return keys.map(() => (error instanceof Refusal ? { kind: 'refused', why } : { kind: 'unknown', why }))
  }
}

/**
 * Runs an act on all of `keys`, at most `atOnce` in a call, one call after the other. A refusal does not stop the
 * others; a call without an answer does, because the next would have none either, and so does `signal`. The fates are in the order of `keys`.
 */
export async function runBatches(
  keys: readonly string[],
  atOnce: number,
  run: (keys: string[]) => Promise<BatchAnswer>,
  onProgress: (count: number) => void = () => {},
  signal?: AbortSignal,
): Promise<Fate[]> {
  const fates: Fate[] = []
  for (const piece of pieces(keys, atOnce)) {
    if (signal?.aborted) break
    // oxlint-disable-next-line no-await-in-loop -- one call after the other
    fates.push(...(await fatesOf(piece, run)))
    onProgress(fates.length)
    if (fates.at(-1)?.kind === 'unknown') break
  }
  return keys.map((_, index) => fates[index] ?? { kind: 'unsent' })
}

/** `已停用 3 人，2 人未能处理`; `verb` as in 停用, `counter` as in 人. */
export function summaryOf(fates: readonly Fate[], verb: string, counter: string): string {
  const count = (kind: Fate['kind']) => fates.filter((fate) => fate.kind === kind).length
  const others = [
    [count('refused'), '未能处理'],
    [count('unknown'), '结果未知'],
    [count('unsent'), '没有提交'],
  ] as const
  const rest = others.filter(([few]) => few > 0).map(([few, what]) => `，${few} ${counter}${what}`)
  return `已${verb} ${count('done')} ${counter}${rest.join('')}`
}

const SHOWN = 8

/** The first few names, and how many there are when that is not all. */
export function namesOf(names: readonly string[], counter: string): string {
  const shown = names.slice(0, SHOWN).join('、')
  return names.length > SHOWN ? `${shown} 等 ${names.length} ${counter}` : shown
}

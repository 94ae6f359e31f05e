/** Walking through a thing's history. Pure; steps are counted from 1, the oldest first. */
import type { History, Moment, Step, Subject } from './log'

/** Where step `index` of `count` lies in pages that begin with the newest: page (1-based) and row in it. */
export function placeOf(index: number, count: number, pageSize: number): { page: number; row: number } {
  const fromNewest = count - index
  return { page: Math.floor(fromNewest / pageSize) + 1, row: fromNewest % pageSize }
}

/** What a key does to the replay. */
export type Move = 'previous' | 'following' | 'first' | 'last'

const moves: Readonly<Record<string, Move>> = {
  ArrowLeft: 'previous',
  ArrowRight: 'following',
  Home: 'first',
  End: 'last',
}

export function moveOf(key: string): Move | undefined {
  return moves[key]
}

/** The position that a move leads to; null when it leads nowhere. */
export function positionAfter(moment: Pick<Moment, Move | 'step'>, move: Move): number | null {
  const target = moment[move]
  return target === moment.step.position ? null : target
}

/** The replay as the address holds it: `category/id/position`, a position of 0 meaning the newest. */
export interface Replay extends Subject {
  position: number
}

export function readReplay(text: string | null): Replay | null {
  const parts = /^([\w.-]{1,64})\/([^/]{1,128})\/(\d{1,16})$/.exec(text ?? '')
  if (!parts) return null
  const [, category = '', id = '', position = ''] = parts
  return { category, id, position: Number(position) }
}

export function writeReplay({ category, id, position }: Replay): string {
  return `${category}/${id}/${position}`
}

type FetchPage = (page: number) => Promise<History>

/** The newest step at or before `time`; null when the thing came later. Asks for a few pages only. */
export async function stepBefore(fetchPage: FetchPage, time: number, pageSize: number): Promise<Step | null> {
  const head = await fetchPage(1)
  const pages = Math.max(1, Math.ceil(head.count / pageSize))
  // Pages go back in time: the wanted one is the first whose oldest step is not after `time`.
  let [low, high] = [1, pages]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    // oxlint-disable-next-line no-await-in-loop -- the next page to ask for follows from this one
    const { rows } = middle === 1 ? head : await fetchPage(middle)
    const oldest = rows.at(-1)
    if (oldest && oldest.time > time) low = middle + 1
    else high = middle
  }
  const { rows } = low === 1 ? head : await fetchPage(low)
  return rows.find((step) => step.time <= time) ?? null
}

/** The step number `index`, oldest first, as the history stands now. */
export async function stepAt(fetchPage: FetchPage, index: number, count: number, pageSize: number): Promise<Step | null> {
  const { page, row } = placeOf(index, count, pageSize)
  const answer = await fetchPage(page)
  if (answer.count === count) return answer.rows[row] ?? null
  // Steps were added meanwhile: everything moved back by as many.
  const now = placeOf(index, answer.count, pageSize)
  const { rows } = now.page === page ? answer : await fetchPage(now.page)
  return rows[now.row] ?? null
}

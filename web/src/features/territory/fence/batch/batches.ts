/** Changes of many parking places: looked at, asked for, and the latest of them. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { DataOf } from '@/api/shapes'
import { serverNow } from '@/api/clock'
import type { Filters } from '@/kit/list/description'
import { fetchPage } from '@/kit/list/pages'
import { type Difference, type Term, termText } from '@/kit/versions/versions'
import { type Fence, FENCE_PATH, stale } from '../fence'
import { saidDifferences } from '../words'
import { type BatchBody, type Change, FENCES_MOST } from './change'

export const BATCHES_PATH = '/fence/batch/list'

export type BatchPreview = DataOf<'/fence/batch/preview', 'post'>
export type PreviewedRow = BatchPreview['rows'][number]
export type RecentBatch = DataOf<typeof BATCHES_PATH>['rows'][number]

/** What a change of many makes stale. */
export const staleByBatch = [...stale, [BATCHES_PATH]] as const

/** What a change for a time ends with. */
export const ENDING = '恢复原样'
export const timeText = (term: Term) => termText(term, ENDING)

/** The same of a change that was made: what lies behind counts already. */
export function madeText({ madeAt, fromAt, untilAt }: Pick<RecentBatch, 'madeAt' | 'fromAt' | 'untilAt'>): string {
  return timeText({ from: fromAt > madeAt ? fromAt : null, until: untilAt })
}

/** What is asked of these, as they were seen. */
export function bodyOf(fences: readonly Pick<Fence, 'id' | 'version'>[], change: Change, { from, until }: Term): Omit<BatchBody, 'reason'> {
  return { fences: fences.map(({ id, version }) => ({ id, version })), change, from, until }
}

/** What would change of a parking place. */
export function changesOf({ before, after }: Pick<PreviewedRow, 'before' | 'after'>): Difference[] {
  if (before === null || after === null) return []
  const said = (one: NonNullable<PreviewedRow['before']>) => ({ ...one, datum: 'wgs84', ban: null, remark: '' })
  return saidDifferences(said(before), said(after))
}

/** Those that would be changed. */
export const changedRows = (rows: readonly PreviewedRow[]) => rows.filter(({ after }) => after !== null)

/** All that a filter finds; null when that is more than are changed at once. */
export async function foundBy(asked: Filters): Promise<readonly Fence[] | null> {
  const { rows, count } = await fetchPage<Fence>({ path: FENCE_PATH }, asked, { page: 1, pageSize: FENCES_MOST })
  return count > FENCES_MOST ? null : rows
}

export const recentBatches = queryOptions({
  queryKey: [BATCHES_PATH],
  queryFn: async ({ signal }) => ({ ...(await api.get(BATCHES_PATH, {}, { signal })), at_ms: serverNow() }),
})

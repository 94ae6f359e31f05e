import { api } from '@/api/client'
import { caseStateLabels, returnReviewReasonLabels, returnReviewSourceLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { labelOf, tagOf } from '@/kit/choice'
import { photoAt } from '@/kit/photo'
import type { Outcome } from '@/kit/review/review'
import type { TagStyle } from '@/kit/StateTag'
import { stateStyle } from '@/kit/theme'

export const RETURN_REVIEW_PATH = '/order/returnReview/list'
const INFO_PATH = '/order/returnReview/{id}'

export const PENDING = 0
const PASSED = 1
/** What must be said with a rejection has at most so many characters. */
export const REASON_MAX = 200
/** By day a return should be decided within ten minutes. */
export const LIMIT_MS = 10 * 60_000

/** A return review as the queue shows it; phone and name are masked. */
export type ReturnReview = DataOf<typeof RETURN_REVIEW_PATH>['rows'][number]
/** With the evidence as it was seen then. */
export type ReturnCase = DataOf<typeof INFO_PATH>
export type EvidencePart = ReturnCase['seen']['parts'][number]
type State = ReturnReview['state']

const stateColors: Readonly<Record<State, string>> = {
  0: stateStyle[4].color,
  1: stateStyle[0].color,
  2: stateStyle[5].color,
  3: stateStyle[7].color,
}

/** The look of a state. */
export function reviewState(state: State): TagStyle {
  return tagOf(state, caseStateLabels, stateColors)
}

export const loadReturnReview = (id: string, signal: AbortSignal) => api.get(INFO_PATH, {}, { path: { id }, signal })

/** One of its photos. */
export const returnPhoto = (id: string, photoId: string, signal: AbortSignal) => photoAt('/order/returnReview/photo', { id, photoId }, signal)

/** What it is known by. */
export function titleOf({ carId, source, reason }: Pick<ReturnReview, 'carId' | 'source' | 'reason'>): string {
  const why = typeof reason === 'number' ? labelOf(returnReviewReasonLabels, reason) : labelOf(returnReviewSourceLabels, source)
  return `${carId} · ${why}`
}

/** What was decided of it. */
export function outcomeOf({ state, reviewer, timedOut, source, decidedAt }: Pick<ReturnReview, 'state' | 'reviewer' | 'timedOut' | 'source' | 'decidedAt'>): Outcome | null {
  if (state === PENDING) return null
  const by = timedOut ? '系统（超时无人审核）' : source === 2 ? '系统（摄像头免罚）' : reviewer
  return { act: state === PASSED ? '通过' : '驳回', by, at_ms: decidedAt ?? null }
}

/** How far an evidence pulls, -1 (for the rider) to 1 (for a penalty), for its bar: as odds grow, so does the share that is left. */
export function pullOf({ pull }: Pick<EvidencePart, 'pull'>): number {
  return Math.tanh(pull / 100 / 3)
}

/** Metres in words. */
export function metres(of_m: number | null | undefined): string {
  if (of_m === null || of_m === undefined) return '--'
  return of_m < 1000 ? `${of_m.toFixed(1)} 米` : `${(of_m / 1000).toFixed(1)} 公里`
}

/** What became of the other reviews of a rider, in words. */
export function formerOf({ count, passed, timedOut }: ReturnCase['former']): string {
  if (count === 0) return '此前没有申请'
  return `此前 ${count} 次，通过 ${passed} 次${timedOut > 0 ? `（其中超时通过 ${timedOut} 次）` : ''}`
}

/** What is said often when one is rejected. */
export const phrases = ['照片中车辆不在停车区内', '照片与还车地点不符', '照片不清晰，无法判断', '车辆停在禁停区内', '头盔未归还'] as const

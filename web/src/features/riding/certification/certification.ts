import { api } from '@/api/client'
import { serverNow } from '@/api/clock'
import { careerKindLabels, caseStateLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { labelOf, tagOf } from '@/kit/choice'
import { photoAt } from '@/kit/photo'
import type { Outcome } from '@/kit/review/review'
import type { TagStyle } from '@/kit/StateTag'
import { stateStyle } from '@/kit/theme'

export const CERTIFICATION_PATH = '/user/occupation/list'
const INFO_PATH = '/user/occupation/info'

export const PENDING = 0
const STUDENT = 1
/** What must be said with a rejection has at most so many characters. */
export const REASON_MAX = 200
/** A certification should be decided within a day. */
export const LIMIT_MS = 24 * 3_600_000

/** A certification as the queue shows it; names, phones and numbers are masked. */
export type Certification = DataOf<typeof CERTIFICATION_PATH>['rows'][number]
type State = Certification['state']

const stateColors: Readonly<Record<State, string>> = {
  0: stateStyle[4].color,
  1: stateStyle[0].color,
  2: stateStyle[5].color,
  3: stateStyle[7].color,
}

/** The look of a state. */
export function caseState(state: State): TagStyle {
  return tagOf(state, caseStateLabels, stateColors)
}

export const loadCertification = (id: string, signal: AbortSignal) => api.get(INFO_PATH, { id }, { signal })

/** One of its photos. */
export const certificationPhoto = (id: string, photoId: string, signal: AbortSignal) => photoAt('/user/occupation/photo', { id, photoId }, signal)

/** What it is known by. */
export function titleOf({ kind, nameMasked }: Pick<Certification, 'kind' | 'nameMasked'>): string {
  return `${nameMasked || '已注销'} · ${labelOf(careerKindLabels, kind)}`
}

/** What was decided of it. */
export function outcomeOf({ state, reviewer, dealAt }: Pick<Certification, 'state' | 'reviewer' | 'dealAt'>): Outcome | null {
  if (state === PENDING) return null
  const act = state === 1 ? '通过' : state === 2 ? '驳回' : '取消'
  return { act, by: state === 3 ? '申请人' : reviewer, at_ms: dealAt }
}

const DAY_MS = 86_400_000
const SHANGHAI_MS = 8 * 3_600_000

/** The last day that is proposed, `YYYY-MM-DD`: for a student the end of the school year's summer, for others a year. */
export function lastDayOf(kind: Certification['kind'], now_ms = serverNow()): string {
  const [year, month] = new Date(now_ms + SHANGHAI_MS).toISOString().split('-').map(Number) as [number, number]
  if (kind === STUDENT) return `${month >= 8 ? year + 1 : year}-08-31`
  return new Date(now_ms + SHANGHAI_MS + 365 * DAY_MS).toISOString().slice(0, 10)
}

/** What is said often when one is rejected. */
export const phrases = ['照片模糊，请重新拍摄', '证件信息与填写不一致', '证件已过期', '姓名与实名信息不一致', '请上传证件背面', '不是支持的证件类型'] as const

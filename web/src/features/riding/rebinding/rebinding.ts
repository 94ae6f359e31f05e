import { api } from '@/api/client'
import { caseStateLabels, rebindingKindLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { labelOf, tagOf } from '@/kit/choice'
import { photoAt } from '@/kit/photo'
import type { Outcome } from '@/kit/review/review'
import type { TagStyle } from '@/kit/StateTag'
import { stateStyle } from '@/kit/theme'

export const REBINDING_PATH = '/user/rebind/list'

export const PENDING = 0
export const PHONE = 1
export const REASON_MAX = 200
/** A rebinding should be decided within half a day: who waits cannot sign in. */
export const LIMIT_MS = 12 * 3_600_000

/** A rebinding as the queue shows it; names, phones and numbers are masked. */
export type Rebinding = DataOf<typeof REBINDING_PATH>['rows'][number]
type State = Rebinding['state']

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

export const loadRebinding = (id: string, signal: AbortSignal) => api.get('/user/rebind/info', { id }, { signal })

/** One of its photos. */
export const rebindingPhoto = (id: string, photoId: string, signal: AbortSignal) => photoAt('/user/rebind/photo', { id, photoId }, signal)

/** What it is known by. */
export function titleOf({ kind, nameMasked }: Pick<Rebinding, 'kind' | 'nameMasked'>): string {
  return `${nameMasked || '已注销'} · ${labelOf(rebindingKindLabels, kind)}`
}

/** What was decided of it. */
export function outcomeOf({ state, reviewer, dealAt }: Pick<Rebinding, 'state' | 'reviewer' | 'dealAt'>): Outcome | null {
  if (state === PENDING) return null
  const act = state === 1 ? '通过' : state === 2 ? '驳回' : '取消'
  return { act, by: state === 3 ? '申请人' : reviewer, at_ms: dealAt }
}

/** What is to be another: what it is called, what it was, what it shall be. */
export function changeOf(it: Rebinding): { label: string; before: string; after: string }[] {
  if (it.kind === PHONE) return [{ label: '手机号', before: it.phoneMasked, after: it.wantedPhoneMasked }]
  return [
    { label: '姓名', before: it.nameMasked, after: it.wantedNameMasked },
    { label: '身份证号', before: it.idNoMasked, after: it.wantedIdNoMasked },
  ]
}

/** What is said often when one is rejected. */
export const phrases = ['照片模糊，请重新拍摄', '证件与实名信息不一致', '请上传手持证件照', '新手机号已被其他用户使用', '请先结束进行中的订单', '无法确认是本人申请'] as const

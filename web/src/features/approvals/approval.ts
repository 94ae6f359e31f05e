import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import { approvalStateLabels, needLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { tagOf } from '@/kit/choice'
import { EMPTY, formatMoney } from '@/kit/format'
import type { TagStyle } from '@/kit/StateTag'
import { stateStyle } from '@/kit/theme'
import { type Difference, differenceOf } from '@/kit/versions/versions'
import { APPROVALS } from './count'

const LIST_PATH = '/platform/approval/list'
const LIMITS_PATH = '/platform/approval/limits'

/** What changes when somebody asks or decides. */
export const stale = [[APPROVALS]] as const

/** As the list shows it. */
export type Approval = DataOf<typeof LIST_PATH>['rows'][number]
/** With what a yes would do now. */
export type ApprovalInfo = DataOf<'/platform/approval/{id}'>

export const WAITING = 0
/** The view of those that the caller may decide. */
const VIEW_WAITING = 1
/** So many are shown at once of those that wait; there are more behind the list on the landing page. */
export const WAITING_MOST = 50
export const REASON_MAX = 200

type State = Approval['state']

const stateColors: Readonly<Record<State, string>> = {
  0: stateStyle[4].color,
  1: stateStyle[0].color,
  2: stateStyle[5].color,
  3: stateStyle[7].color,
  4: stateStyle[7].color,
}

/** The look of a state. */
export function approvalState(state: State): TagStyle {
  return tagOf(state, approvalStateLabels, stateColors)
}

/** How much it moves; a deed without an amount has none. */
export function amountOf({ amountCents }: Pick<Approval, 'amountCents'>): string {
  return amountCents === 0 ? EMPTY : formatMoney(amountCents)
}

/** Those that the caller may decide, the newest first. */
export const waitingApprovals = queryOptions({
  queryKey: [APPROVALS, 'waiting'],
  queryFn: ({ signal }) => api.get(LIST_PATH, { view: VIEW_WAITING, page: 1, pageSize: WAITING_MOST }, { signal }),
})

export const approvalKinds = queryOptions({
  queryKey: [APPROVALS, 'kinds'],
  queryFn: async ({ signal }) => (await api.get('/platform/approval/kinds', {}, { signal })).rows,
  staleTime: Infinity,
})

export const approvalInfo = (id: string) =>
  queryOptions({
    queryKey: [APPROVALS, 'info', id],
    queryFn: ({ signal }) => api.get('/platform/approval/{id}', {}, { path: { id }, signal }),
  })

export type Limits = DataOf<typeof LIMITS_PATH>
export type LimitsVersion = Limits['versions'][number]
export type Rule = LimitsVersion['rules'][number]

export const NEVER = 0
export const ABOVE = 1

export const approvalLimits = (agentId: string) =>
  queryOptions({
    queryKey: [APPROVALS, 'limits', agentId],
    queryFn: ({ signal }) => api.get(LIMITS_PATH, { agentId }, { signal }),
  })

/** `超过 50.00 元时复核`. */
export function ruleText({ need, aboveCents }: Pick<Rule, 'need' | 'aboveCents'>): string {
  return need === ABOVE ? `超过 ${formatMoney(aboveCents ?? 0)} 元时复核` : needLabels[need]
}

/** What a version says of each kind otherwise than the one before it; the first is compared with what is usual. */
export function limitChanges(kinds: Limits['kinds'], after: LimitsVersion, before: LimitsVersion | undefined): Difference[] {
  return kinds.flatMap(({ label, usual }) => {
    const said = (version: LimitsVersion | undefined) => ruleText(version?.rules.find(({ kind }) => kind === usual.kind) ?? usual)
    return differenceOf(label, said(before), said(after))
  })
}

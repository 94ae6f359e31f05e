import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import { franchiseeStateLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { stateStyle } from '@/kit/theme'
import { tagOf } from '@/kit/choice'
import { daysLeft, SOON_DAYS } from '@/kit/days'
import { EMPTY, formatPercent, parseMoney } from '@/kit/format'
import type { TagStyle } from '@/kit/StateTag'

export const FRANCHISEE_PATH = '/platform/agent/allyInfo'

export const NEGOTIATING = 0
export const COOPERATING = 1
export const EXPIRED = 2
export const TERMINATED = 3

/** A franchisee as lists and its drawer show it; names and phone are masked. */
export type Franchisee = DataOf<typeof FRANCHISEE_PATH>['rows'][number]

/** What a change of a franchisee makes stale. */
export const stale = [[FRANCHISEE_PATH]] as const

export const REMARK_MAX = 200

type State = Franchisee['state']

const stateColors: Readonly<Record<State, string>> = {
  [NEGOTIATING]: stateStyle[4].color,
  [COOPERATING]: stateStyle[0].color,
  [EXPIRED]: stateStyle[5].color,
  [TERMINATED]: stateStyle[7].color,
}

/** The look of a state. */
export function franchiseeState(state: State): TagStyle {
  return tagOf(state, franchiseeStateLabels, stateColors)
}

/** Whole percent of ten-thousandths: 3050 is 30.5%. */
export function formatRatio(bp: number): string {
  return bp === 0 ? EMPTY : formatPercent(bp)
}

/** Ten-thousandths of a percentage with two decimals at most; null for anything else and for more than the whole. */
export function parseRatio(percent: string): number | null {
  const hundredths = parseMoney(percent)
  return hundredths !== null && hundredths <= 10_000n ? Number(hundredths) : null
}

/** What is to be said of a contract's end, when it is near. */
export function endNotice(franchisee: Pick<Franchisee, 'state' | 'contractEnd'>, now_ms: number): string | null {
  if (franchisee.state !== COOPERATING || franchisee.contractEnd === null) return null
  const days = daysLeft(franchisee.contractEnd, now_ms)
  if (days > SOON_DAYS) return null
  return days <= 0 ? '今天到期' : `剩 ${days} 天`
}

export const franchiseeInfo = (id: string) =>
  queryOptions({
    queryKey: [FRANCHISEE_PATH, 'info', id],
    queryFn: ({ signal }) => api.get(`${FRANCHISEE_PATH}/info`, { id }, { signal }),
  })

import { queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '@/api/client'
import { franchiseeStateLabels } from '@/api/generated/labels'
import type { BodyOf, DataOf } from '@/api/shapes'
import { stateStyle } from '@/kit/theme'
import { tagOf } from '@/kit/choice'
import { EMPTY, formatPercent, parseMoney } from '@/kit/format'
import type { TagStyle } from '@/kit/StateTag'

export const FRANCHISEE_PATH = '/platform/agent/allyInfo'
const AREAS_PATH = '/platform/agent/serviceArea/belongToAgent'

export const NEGOTIATING = 0
export const COOPERATING = 1
export const EXPIRED = 2
export const TERMINATED = 3

/** A franchisee as lists and its drawer show it; names and phone are masked. */
export type Franchisee = DataOf<typeof FRANCHISEE_PATH>['rows'][number]

/** Names and phone, whole. */
export type WholePeople = DataOf<'/platform/agent/allyInfo/unmask', 'post'>

/** What the server is told; what is absent stays as it is. */
export type FranchiseeValues = Omit<BodyOf<typeof FRANCHISEE_PATH, 'put'>, 'id' | 'version'>

/** What the server refuses about one field, by its code. */
export const fieldOf = { 'ally-license-taken': 'licenseNo' } as const

export const COMPANY_MAX = 64
export const PERSON_MAX = 20
export const REMARK_MAX = 200
export const AREAS_MAX = 100
export const DEPOSIT_MAX_YUAN = 100_000_000

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

const DAY_MS = 24 * 60 * 60 * 1000
const SHANGHAI_MS = 8 * 60 * 60 * 1000

/** Days from today in Shanghai to the contract's last day; negative when it is over. */
export function daysLeft(contractEnd: string, now_ms: number): number {
  const today = Math.floor((now_ms + SHANGHAI_MS) / DAY_MS)
  return Math.round(Date.parse(`${contractEnd}T00:00:00Z`) / DAY_MS) - today
}

/** What is to be said of a contract's end, when it is near. */
export function endNotice(franchisee: Pick<Franchisee, 'state' | 'contractEnd'>, now_ms: number): string | null {
  if (franchisee.state !== COOPERATING || franchisee.contractEnd === null) return null
  const days = daysLeft(franchisee.contractEnd, now_ms)
  if (days > 30) return null
  return days <= 0 ? '今天到期' : `剩 ${days} 天`
}

export const franchiseeInfo = (id: string) =>
  queryOptions({
    queryKey: [FRANCHISEE_PATH, 'info', id],
    queryFn: ({ signal }) => api.get(`${FRANCHISEE_PATH}/info`, { id }, { signal }),
  })

/** Areas of an agent. */
export const areasOf = (agentId: string) =>
  queryOptions({
    queryKey: [AREAS_PATH, agentId],
    queryFn: ({ signal }) => api.get(AREAS_PATH, { agentIds: agentId }, { signal }),
    staleTime: 60_000,
  })

export function createFranchisee(values: FranchiseeValues & { agentId: string }, options: CallOptions): Promise<unknown> {
  return api.post(FRANCHISEE_PATH, values, options)
}

export function changeFranchisee(values: FranchiseeValues & { id: string; version: number }, options: CallOptions): Promise<unknown> {
  return api.put(FRANCHISEE_PATH, values, options)
}

export function setFranchiseeState(input: { id: string; state: number; reason?: string }, options: CallOptions): Promise<unknown> {
  return api.post(`${FRANCHISEE_PATH}/state`, input, options)
}

export function deleteFranchisee(input: { id: string }, options: CallOptions): Promise<unknown> {
  return api.delete(FRANCHISEE_PATH, input, options)
}

/** Asks for whole names and phone; who asked is kept. */
export function unmaskFranchisee(input: { id: string }, options: CallOptions): Promise<WholePeople> {
  return api.post(`${FRANCHISEE_PATH}/unmask`, input, options)
}

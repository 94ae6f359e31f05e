import { queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '@/api/client'
import { billingWayLabels } from '@/api/generated/labels'
import type { BodyOf, DataOf } from '@/api/shapes'
import { labelOf } from '@/kit/choice'
import type { BatchAnswer } from '@/kit/list/batch'

export const AGENT_PATH = '/platform/agent/account'
const AREAS_PATH = '/platform/agent/serviceArea/opMan'

/** What the server refuses about one field, by its code. */
export const fieldOf = { 'agent-phone-taken': 'phone' } as const

/** Longest texts and largest quota that the server takes. */
export const COMPANY_MAX = 64
export const CONTACT_MAX = 20
export const REMARK_MAX = 200
export const QUOTA_MAX = 1_000_000

/** 0 disabled, 1 enabled. */
export type AgentState = 0 | 1

export const billingWays = [
  { value: 0, label: billingWayLabels[0], short: '自有商户' },
  { value: 1, label: billingWayLabels[1], short: '平台分账' },
] as const

export const billingLabel = (way: number) => labelOf(billingWayLabels, way)

/** As narrow columns say it. */
export function billingShort(way: number): string {
  return billingWays.find(({ value }) => value === way)?.short ?? '--'
}

/** An agent as lists and its drawer show it; its phone is masked, and null is under the platform, or no limit. */
export type Agent = DataOf<typeof AGENT_PATH>['rows'][number]

/** What people fill in; areas that are absent stay as they are. */
export type AgentValues = Omit<BodyOf<typeof AGENT_PATH, 'put'>, 'agentId' | 'phone' | 'version'>

export const agentInfo = (agentId: string) =>
  queryOptions({
    queryKey: [AGENT_PATH, 'info', agentId],
    queryFn: async ({ signal }) => {
      const { rows } = await api.get(AGENT_PATH, { agentId, page: 1, pageSize: 10 }, { signal })
      return rows[0] ?? null
    },
  })

/** Enabled agents whose company or contact holds `keyword`, for the picker of a parent. */
export const parentOptions = (keyword: string) =>
  queryOptions({
    queryKey: [AGENT_PATH, 'parents', keyword],
    queryFn: async ({ signal }) => {
      const { rows } = await api.get(AGENT_PATH, { keyword, state: 1, page: 1, pageSize: 50 }, { signal })
      return rows.map(({ agentId, company }) => ({ value: agentId, label: company }))
    },
  })

export type AreaOption = DataOf<typeof AREAS_PATH>['list'][number]

/** Areas that the operator may see. */
export const areaOptions = queryOptions({
  queryKey: [AREAS_PATH, 'agent'],
  queryFn: async ({ signal }) => {
    const { list } = await api.get(AREAS_PATH, { agentIds: '' }, { signal })
    return list
  },
})

/** The areas that an agent may get: its own, and its parent's; one under the platform may get any. */
export function areasWithin(areas: readonly AreaOption[], own: string | null, parent: string | null): AreaOption[] {
  return parent === null ? [...areas] : areas.filter(({ agentId }) => agentId === parent || agentId === own)
}

const DAY_MS = 24 * 60 * 60 * 1000
/** A contract is told to end soon so many days before. */
const SOON_DAYS = 30

export type ContractStanding = 'none' | 'future' | 'running' | 'soon' | 'over'

/** Where a contract stands on the day `today`, all `YYYY-MM-DD`; its last day is part of it. */
export function contractStanding(begin: string | null, end: string | null, today: string): ContractStanding {
  if (begin === null && end === null) return 'none'
  if (begin !== null && today < begin) return 'future'
  if (end === null) return 'running'
  if (end < today) return 'over'
  return (Date.parse(end) - Date.parse(today)) / DAY_MS <= SOON_DAYS ? 'soon' : 'running'
}

/** `2026-01-01 至 2026-12-31`, open ends in words. */
export function contractText(begin: string | null, end: string | null): string {
  if (begin === null && end === null) return '--'
  return `${begin ?? '未定'} 至 ${end ?? '长期'}`
}

export function createAgent(
  values: AgentValues & { phone: string; parentId: string | null; state: AgentState },
  options: CallOptions,
): Promise<unknown> {
  return api.post(AGENT_PATH, values, options)
}

export function changeAgent(
  values: AgentValues & { agentId: string; phone?: string; version: number },
  options: CallOptions,
): Promise<unknown> {
  return api.put(AGENT_PATH, values, options)
}

export function setAgentState(input: { agentId: string; state: AgentState }, options: CallOptions): Promise<unknown> {
  return api.post(`${AGENT_PATH}/state`, input, options)
}

export function setAgentStates(agentIds: string[], state: AgentState, options: CallOptions): Promise<BatchAnswer> {
  return api.post(`${AGENT_PATH}/state`, { agentIds, state }, options)
}

export function deleteAgent(input: { agentId: string }, options: CallOptions): Promise<unknown> {
  return api.delete(AGENT_PATH, input, options)
}

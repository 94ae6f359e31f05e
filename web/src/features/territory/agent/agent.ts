import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import { billingWayLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { labelOf } from '@/kit/choice'
import { daysLeft, SOON_DAYS } from '@/kit/days'

export const AGENT_PATH = '/platform/agent/account'
const AREAS_PATH = '/platform/agent/serviceArea/opMan'

/** What a change of an agent makes stale; the header's selector lists agents too. */
export const stale = [[AGENT_PATH]] as const

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

export type ContractStanding = 'none' | 'future' | 'running' | 'soon' | 'over'

/** Where a contract stands, its days as `YYYY-MM-DD`; the last one is part of it. */
export function contractStanding(begin: string | null, end: string | null, now_ms: number): ContractStanding {
  if (begin === null && end === null) return 'none'
  if (begin !== null && daysLeft(begin, now_ms) > 0) return 'future'
  if (end === null) return 'running'
  const days = daysLeft(end, now_ms)
  return days < 0 ? 'over' : days <= SOON_DAYS ? 'soon' : 'running'
}

/** `2026-01-01 至 2026-12-31`, open ends in words. */
export function contractText(begin: string | null, end: string | null): string {
  if (begin === null && end === null) return '--'
  return `${begin ?? '未定'} 至 ${end ?? '长期'}`
}

import { queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '@/api/client'
import type { SeveralAnswer } from '@/kit/list/batch'
import type { Page } from '@/kit/list/description'

export const ACCOUNT_PATH = '/platform/agent/account'
const AREAS_PATH = '/platform/agent/serviceArea/opMan'

/** Longest texts and largest quota that the server takes. */
export const COMPANY_MAX = 64
export const CONTACT_MAX = 20
export const REMARK_MAX = 200
export const QUOTA_MAX = 1_000_000

/** 0 disabled, 1 enabled. */
export type AccountState = 0 | 1

export const billingWays = [
  { value: 0, label: '自有商户收银', short: '自有商户' },
  { value: 1, label: '平台收银（分账）', short: '平台分账' },
] as const

export function billingLabel(way: number): string {
  return billingWays.find(({ value }) => value === way)?.label ?? '--'
}

/** As narrow columns say it. */
export function billingShort(way: number): string {
  return billingWays.find(({ value }) => value === way)?.short ?? '--'
}

/** An agent's account as lists and its drawer show it. */
export interface Account {
  agentId: string
  company: string
  contact: string
  /** Its middle masked. */
  phone: string
  /** Null: under the platform. */
  parentId: string | null
  parentCompany: string | null
  /** 1 under the platform, 2 under one of level 1, and so on. */
  level: number
  /** Null: no limit. */
  roleId: string | null
  roleName: string | null
  billingWay: number
  /** `YYYY-MM-DD`. */
  contractBegin: string | null
  contractEnd: string | null
  /** Null: no limit. */
  vehicleQuota: number | null
  remark: string
  state: AccountState
  areaCount: number
  serviceAreaIds: string[]
  childCount: number
  /** Epoch ms. */
  createdAt: number
  updatedAt: number
  version: number
}

/** What people fill in. */
export interface AccountValues {
  company: string
  contact: string
  roleId: string | null
  billingWay: number
  /** Absent: as they are. */
  serviceAreaIds?: string[]
  contractBegin: string | null
  contractEnd: string | null
  vehicleQuota: number | null
  remark: string
}

export const accountInfo = (agentId: string) =>
  queryOptions({
    queryKey: [ACCOUNT_PATH, 'info', agentId],
    queryFn: async ({ signal }) => {
      const { rows } = await api.get<Page<Account>>(ACCOUNT_PATH, { agentId, page: 1, pageSize: 10 }, { signal })
      return rows[0] ?? null
    },
  })

/** Enabled accounts whose company or contact holds `keyword`, for the picker of a parent. */
export const parentOptions = (keyword: string) =>
  queryOptions({
    queryKey: [ACCOUNT_PATH, 'parents', keyword],
    queryFn: async ({ signal }) => {
      const { rows } = await api.get<Page<Account>>(ACCOUNT_PATH, { keyword, state: 1, page: 1, pageSize: 50 }, { signal })
      return rows.map(({ agentId, company }) => ({ value: agentId, label: company }))
    },
  })

export interface AreaOption {
  id: string
  name: string
  agentId: string
}

/** Service areas that the operator may see. */
export const areaOptions = queryOptions({
  queryKey: [AREAS_PATH, 'account'],
  queryFn: async ({ signal }) => {
    const { list } = await api.get<{ list: AreaOption[] }>(AREAS_PATH, { agentIds: '' }, { signal })
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

export function createAccount(
  values: AccountValues & { phone: string; parentId: string | null; state: AccountState },
  options: CallOptions,
): Promise<unknown> {
  return api.post(ACCOUNT_PATH, values, options)
}

export function changeAccount(
  values: AccountValues & { agentId: string; phone?: string; version: number },
  options: CallOptions,
): Promise<unknown> {
  return api.put(ACCOUNT_PATH, values, options)
}

export function setAccountState(input: { agentId: string; state: AccountState }, options: CallOptions): Promise<unknown> {
  return api.post(`${ACCOUNT_PATH}/state`, input, options)
}

export function setAccountStates(agentIds: string[], state: AccountState, options: CallOptions): Promise<SeveralAnswer> {
  return api.post(`${ACCOUNT_PATH}/state`, { agentIds, state }, options)
}

export function deleteAccount(input: { agentId: string }, options: CallOptions): Promise<unknown> {
  return api.delete(ACCOUNT_PATH, input, options)
}

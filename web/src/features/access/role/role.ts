import { queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '@/api/client'
import type { Branch } from './codes'

export const ROLE_PATH = '/platform/permission/role'
const TREE_PATH = '/platform/permission/tree/opMan'

/** 0 disabled, 1 enabled. */
export type RoleState = 0 | 1

export interface Role {
  id: string
  name: string
  /** 1 管理员, 2 运营, 4 运维, 8 生产. */
  tier: number
  remark: string
  state: RoleState
  codes: string[]
  userCount: number
  /** Epoch ms. */
  updatedAt: number | null
  updatedBy: string | null
  version: number
}

export const tiers = [
  { value: 1, label: '管理员' },
  { value: 2, label: '运营' },
  { value: 4, label: '运维' },
  { value: 8, label: '生产' },
] as const

export function tierLabel(tier: number): string {
  return tiers.find(({ value }) => value === tier)?.label ?? '--'
}

/** Longest name and remark that the server takes, characters. */
export const NAME_MAX = 20
export const REMARK_MAX = 200

/** What people fill in. */
export interface RoleValues {
  name: string
  tier: number
  remark: string
  codes: string[]
}

export const roleInfo = (id: string) =>
  queryOptions({
    queryKey: [ROLE_PATH, 'info', id],
    queryFn: ({ signal }) => api.get<Role>(`${ROLE_PATH}/info`, { id }, { signal }),
  })

/** The tree of codes; `checked` says which ones the operator holds and so may grant. */
export const grantableTree = queryOptions({
  queryKey: [TREE_PATH],
  queryFn: ({ signal }) => api.get<Branch[]>(TREE_PATH, { opManId: localStorage.getItem('opMan') }, { signal }),
  staleTime: 60_000,
})

export function createRole(values: RoleValues & { state: RoleState }, options: CallOptions): Promise<{ id: string }> {
  return api.post(ROLE_PATH, values, options)
}

export function changeRole(values: RoleValues & { id: string; version: number }, options: CallOptions): Promise<unknown> {
  return api.put(ROLE_PATH, values, options)
}

export function setRoleState(input: { id: string; state: RoleState }, options: CallOptions): Promise<unknown> {
  return api.post(`${ROLE_PATH}/state`, input, options)
}

export function deleteRole(input: { id: string; version: number }, options: CallOptions): Promise<unknown> {
  return api.delete(ROLE_PATH, input, options)
}

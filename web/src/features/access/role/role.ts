import { queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '@/api/client'
import type { DataOf } from '@/api/shapes'
import type { BatchAnswer } from '@/kit/list/batch'

export const ROLE_PATH = '/platform/permission/role'

/** 0 disabled, 1 enabled. */
export type RoleState = 0 | 1

/** A role as lists and its page show it. */
export type Role = DataOf<'/platform/permission/role/info'>

export const tiers = [
  { value: 1, label: '管理员' },
  { value: 2, label: '运营' },
  { value: 4, label: '运维' },
  { value: 8, label: '生产' },
] as const

export function tierLabel(tier: number): string {
  return tiers.find(({ value }) => value === tier)?.label ?? '--'
}

/** What the server refuses about one field, by its code. */
export const fieldOf = { 'role-name-taken': 'name' } as const

/** Longest name and remark that the server takes, characters. */
export const NAME_MAX = 20
export const REMARK_MAX = 200

/** What people fill in. */
export type RoleValues = Pick<Role, 'name' | 'tier' | 'remark' | 'codes'>

export const roleInfo = (id: string) =>
  queryOptions({
    queryKey: [ROLE_PATH, 'info', id],
    queryFn: ({ signal }) => api.get(`${ROLE_PATH}/info`, { id }, { signal }),
  })

export function createRole(values: RoleValues & { state: RoleState }, options: CallOptions): Promise<unknown> {
  return api.post(ROLE_PATH, values, options)
}

export function changeRole(values: RoleValues & { id: string; version: number }, options: CallOptions): Promise<unknown> {
  return api.put(ROLE_PATH, values, options)
}

export function setRoleState(input: { id: string; state: RoleState }, options: CallOptions): Promise<unknown> {
  return api.post(`${ROLE_PATH}/state`, input, options)
}

export function setRoleStates(ids: string[], state: RoleState, options: CallOptions): Promise<BatchAnswer> {
  return api.post(`${ROLE_PATH}/state`, { ids, state }, options)
}

export function deleteRole(input: { id: string; version: number }, options: CallOptions): Promise<unknown> {
  return api.delete(ROLE_PATH, input, options)
}

import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { DataOf } from '@/api/shapes'

export const ROLE_PATH = '/platform/permission/role'

/** What a change of a role makes stale. */
export const stale = [[ROLE_PATH]] as const

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

export const roleInfo = (id: string) =>
  queryOptions({
    queryKey: [ROLE_PATH, 'info', id],
    queryFn: ({ signal }) => api.get(`${ROLE_PATH}/info`, { id }, { signal }),
  })

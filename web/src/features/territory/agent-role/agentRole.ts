import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { DataOf } from '@/api/shapes'
import type { Branch } from '@/kit/permission/codes'

export const AGENT_ROLE_PATH = '/platform/agent/role'
const TREE_PATH = '/platform/agent/tree'

/** What a change of a template makes stale. */
export const stale = [[AGENT_ROLE_PATH]] as const

/** A role template as lists and its drawer show it, with how many agents it applies to. */
export type AgentRole = DataOf<'/platform/agent/role/{id}'>

export const agentRoleInfo = (id: string) =>
  queryOptions({
    queryKey: [AGENT_ROLE_PATH, 'info', id],
    queryFn: ({ signal }) => api.get(`${AGENT_ROLE_PATH}/{id}`, {}, { path: { id }, signal }),
  })

/** The newest templates, for pickers. */
export const agentRoleOptions = queryOptions({
  queryKey: [AGENT_ROLE_PATH, 'options'],
  queryFn: async ({ signal }) => {
    const { rows } = await api.get(AGENT_ROLE_PATH, { page: 1, pageSize: 200 }, { signal })
    return rows.map(({ id, name }) => ({ value: id, label: name }))
  },
})

/** The tree of codes; `checked` says which ones the operator holds and so may put into a template. */
export const agentTree = queryOptions({
  queryKey: [TREE_PATH],
  queryFn: ({ signal }): Promise<readonly Branch[]> => api.get(TREE_PATH, {}, { signal }),
  staleTime: 60_000,
})

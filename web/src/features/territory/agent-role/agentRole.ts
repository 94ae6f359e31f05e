import { queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '@/api/client'
import type { DataOf } from '@/api/shapes'
import type { Branch } from '@/kit/permission/codes'

export const AGENT_ROLE_PATH = '/platform/agent/role'
const TREE_PATH = '/platform/agent/tree'

/** What the server refuses about one field, by its code. */
export const fieldOf = { 'agent-role-name-taken': 'name' } as const

/** Longest name and remark that the server takes, characters. */
export const NAME_MAX = 20
export const REMARK_MAX = 200

/** Templates are for every tier. */
export const EVERY_TIER = 15

/** A role template as lists and its drawer show it, with how many agents it applies to. */
export type AgentRole = DataOf<'/platform/agent/role/{id}'>

/** What people fill in. */
export type AgentRoleValues = Pick<AgentRole, 'name' | 'remark' | 'codes'>

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

export function createAgentRole(values: AgentRoleValues, options: CallOptions): Promise<unknown> {
  return api.post(AGENT_ROLE_PATH, values, options)
}

export function changeAgentRole(values: AgentRoleValues & { id: string; version: number }, options: CallOptions): Promise<unknown> {
  return api.put(AGENT_ROLE_PATH, values, options)
}

export function deleteAgentRole(input: { id: string }, options: CallOptions): Promise<unknown> {
  return api.delete(AGENT_ROLE_PATH, input, options)
}

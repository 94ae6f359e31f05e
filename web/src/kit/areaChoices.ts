/** Agents and their service areas to choose from; each call is kept once, whoever asks. */
import { type QueryFunctionContext } from '@tanstack/react-query'
import { api } from '@/api/client'

export interface AgentChoice {
  agentId: string
  company: string
}

export interface AreaChoice {
  id: string
  name: string
  agentId: string
}

interface Source<Choice> {
  queryKey: readonly unknown[]
  queryFn(context: QueryFunctionContext): Promise<readonly Choice[]>
  staleTime?: number
}

export interface AreaChoices {
  /** Null for those who may not list them: areas alone are chosen from then. */
  agents: Source<AgentChoice> | null
  areas: Source<AreaChoice>
}

/** So many areas come at most. */
export const AREAS_MOST = 2000
const STALE_MS = 60_000
const AREAS_PATH = '/platform/agent/serviceArea/belongToAgent'

type AgentsPath = '/platform/agent/account/list' | '/platform/agent/serviceArea/agents'

/** Agents, by the call that the caller may make. */
export const agentsBy = (path: AgentsPath): Source<AgentChoice> => ({
  queryKey: [path, 'choices'],
  queryFn: async ({ signal }) => (await api.get(path, {}, { signal, quiet: true })).rows,
  staleTime: STALE_MS,
})

/** Agents that a franchisee, an area or a payment account may be given to. */
export const agentChoices = agentsBy('/platform/agent/serviceArea/agents')

/** The first part of the keys of all areas that were asked for. */
export const AREA_CHOICES = [AREAS_PATH, 'choices'] as const

/** Areas of these agents; without any, all in the caller's reach. */
export const areasOf = (agentIds: readonly string[]): Source<AreaChoice> => ({
  queryKey: [...AREA_CHOICES, agentIds.join(',')],
  queryFn: async ({ signal }) => (await api.get(AREAS_PATH, { agentIds: agentIds.join(',') || null }, { signal, quiet: true })).list,
  staleTime: STALE_MS,
})

/** All areas in the caller's reach, and agents by the call that he may make; null when he may make none. */
export function areaChoices(agents: AgentsPath | null): AreaChoices {
  return { agents: agents && agentsBy(agents), areas: areasOf([]) }
}

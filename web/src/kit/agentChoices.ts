import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'

const AGENTS_PATH = '/platform/agent/serviceArea/agents'

/** Agents that a franchisee, an area or a payment account may be given to. */
export const agentChoices = queryOptions({
  queryKey: [AGENTS_PATH],
  queryFn: ({ signal }) => api.get(AGENTS_PATH, {}, { signal }),
  staleTime: 60_000,
})

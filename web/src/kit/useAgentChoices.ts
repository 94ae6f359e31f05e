import { useQuery } from '@tanstack/react-query'
import { agentChoices } from './areaChoices'
import { allows, useCodes } from './permission/held'

/** What it takes to list agents. */
const LISTS_AGENTS = '1103||1101||0503'

/** Agents in the caller's reach, asked for by who may list them. */
export function useAgentChoices(enabled = true) {
  const may = useCodes((codes) => allows(LISTS_AGENTS, codes))
  return useQuery({ ...agentChoices, enabled: enabled && may })
}

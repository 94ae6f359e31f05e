/** Agents with their areas as a tree, and where in it the filters of an address stand. Pure. */
import type { AgentChoice, AreaChoice } from '../areaChoices'
import { withHeld } from '../choice'
import type { FilterOption } from './description'

export interface AgentBranch extends FilterOption {
  children?: FilterOption[]
  /** Said of one whose areas are still to come: choosing it must not close what they will show in. */
  isLeaf?: false
}

/** From the agent down to the area; an area says itself whose it is. */
export function pathOf(agent: string, area: string, areas: readonly AreaChoice[]): readonly string[] {
  if (area === '') return agent === '' ? [] : [agent]
  return [areas.find(({ id }) => id === area)?.agentId ?? agent, area].filter(Boolean)
}

/** The agents, each with its areas (null: on their way), and with what `path` names besides. */
export function treeOf(agents: readonly AgentChoice[], areas: readonly AreaChoice[] | null, [agent, area]: readonly string[]): AgentBranch[] {
  const byAgent = new Map<string, FilterOption[]>()
  for (const { id, name, agentId } of areas ?? []) {
    const known = byAgent.get(agentId)
    if (known) known.push({ value: id, label: name })
    else byAgent.set(agentId, [{ value: id, label: name }])
  }
  const branches = agents.map(({ agentId, company }) => ({ value: agentId, label: company }))
  return withHeld(branches, agent).map((branch) => {
    const own = byAgent.get(branch.value) ?? []
    const children = branch.value === agent ? withHeld(own, area) : own
    if (children.length > 0) return { ...branch, children }
    return areas === null ? { ...branch, isLeaf: false } : branch
  })
}

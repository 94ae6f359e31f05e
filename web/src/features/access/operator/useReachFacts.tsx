import type { Fact } from '@/kit/Facts'
import { useAgentNames, useAreaNames } from './ReachFields'

/** Which agents and areas a person sees, by name; an empty list means all. */
export function useReachFacts(agentIds: readonly string[], areaIds: readonly string[]): Fact[] {
  const agents = useAgentNames()
  const areas = useAreaNames([])
  const fact = (name: string, ids: readonly string[], known: ReadonlyMap<string, string>, all: string) => ({
    name,
    whole: true,
    value: <div className="operator-reach">{ids.length === 0 ? all : ids.map((id) => known.get(id) ?? id).join('、')}</div>,
  })
  return [fact('可见代理商', agentIds, agents, '全部代理商'), fact('可见服务区', areaIds, areas, '以上代理商的全部服务区')]
}

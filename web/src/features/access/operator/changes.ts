/** What saving a form would change in a person's rights, in words. Pure. */
import { levelText } from './levels'
import { professionText } from './profession'
import type { OperatorValues } from './operator'

export interface Change {
  label: string
  before: string
  after: string
}

/** Names of what ids stand for; an id without one reads as itself. */
export interface Names {
  roles: ReadonlyMap<string, string>
  agents: ReadonlyMap<string, string>
  areas: ReadonlyMap<string, string>
}

const SHOWN = 6

function listText(ids: readonly string[], names: ReadonlyMap<string, string>, none: string): string {
  if (ids.length === 0) return none
  const shown = ids.slice(0, SHOWN).map((id) => names.get(id) ?? id)
  return ids.length > SHOWN ? `${shown.join('、')} 等 ${ids.length} 项` : shown.join('、')
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id) => b.includes(id))
}

/** Field by field; nothing for what stays. */
export function changesOf(before: OperatorValues, after: OperatorValues, names: Names): Change[] {
  const changes: Change[] = []
  const add = (label: string, from: string, to: string) => changes.push({ label, before: from, after: to })
  if (before.name !== after.name) add('姓名', before.name, after.name)
  if (before.level !== after.level) add('级别', levelText(before.level), levelText(after.level))
  if (before.profession !== after.profession) add('工种', professionText(before.profession), professionText(after.profession))
  const lists = [
    ['角色', before.roleIds, after.roleIds, names.roles, '无角色'],
    ['代理商', before.agentIds, after.agentIds, names.agents, '全部代理商'],
    ['服务区', before.opAreaIds, after.opAreaIds, names.areas, '所选代理商的全部服务区'],
  ] as const
  for (const [label, from, to, known, none] of lists) {
    if (!same(from, to)) add(label, listText(from, known, none), listText(to, known, none))
  }
  return changes
}

/** Areas that stay chosen when the agents change: those of agents that are still chosen, and those nobody knows. */
export function areasWithin(
  areaIds: readonly string[],
  agentIds: readonly string[],
  known: readonly { id: string; agentId: string }[],
): string[] {
  if (agentIds.length === 0) return [...areaIds]
  const agentOf = new Map(known.map((area) => [area.id, area.agentId]))
  return areaIds.filter((id) => {
    const agent = agentOf.get(id)
    return agent === undefined || agentIds.includes(agent)
  })
}

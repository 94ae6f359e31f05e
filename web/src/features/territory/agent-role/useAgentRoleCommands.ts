import { useCommand } from '@/kit/useCommand'
import { useDangerousConfirm } from '@/kit/useDangerousConfirm'
import { AGENT_ROLE_PATH, type AgentRole, changeAgentRole, createAgentRole, deleteAgentRole, fieldOf } from './agentRole'

const stale = [[AGENT_ROLE_PATH]] as const

export const useCreateAgentRole = () => useCommand({ run: createAgentRole, stale, done: '角色模板已新增', fieldOf })
export const useChangeAgentRole = () => useCommand({ run: changeAgentRole, stale, done: '角色模板已保存', fieldOf })

/** Deleting, after a question. */
export function useRemoveAgentRole() {
  const ask = useDangerousConfirm()
  const removal = useCommand({ run: deleteAgentRole, stale, done: '角色模板已删除' })
  return (role: AgentRole) =>
    ask({
      act: '删除角色模板',
      name: role.name,
      consequence: '目前没有代理使用这个模板。删除后无法恢复；操作日志中仍可查到它的历史。',
      onConfirm: () => removal.mutateAsync({ id: role.id }),
    })
}

/** Why a template cannot be deleted; nothing when it can. */
export function whyKept(role: Pick<AgentRole, 'agentCount'>): string | undefined {
  return role.agentCount > 0 ? `仍有 ${role.agentCount} 个代理使用，请先为它们更换模板` : undefined
}

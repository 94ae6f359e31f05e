import { command } from '@/api/client'
import { useSwitch } from '@/kit/list/useSwitch'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { type Agent, AGENT_PATH, stale } from './agent'

const setState = command.post(`${AGENT_PATH}/state`)

/** What follows when an agent with so many under it is disabled. */
export function disableConsequence(childCount: number): string {
  const children = childCount > 0 ? `${childCount} 个下级代理不受影响，` : ''
  return `它的人员会立即退出登录，启用前不能再登录；${children}服务区与车辆继续运营。`
}

/** Why an agent cannot be deleted; nothing when it can. */
export function whyKept(agent: Pick<Agent, 'childCount' | 'areaCount'>): string | undefined {
  if (agent.childCount > 0) return `仍有 ${agent.childCount} 个下级代理，请先删除它们`
  if (agent.areaCount > 0) return `仍有 ${agent.areaCount} 个服务区，请先移交给其他代理`
  return undefined
}

/** What became of a switch: it is done, or waits for a second person. */
export function switched(answer: unknown): string {
  const waits = typeof answer === 'object' && answer !== null && 'approvalId' in answer
  return waits ? '已提交复核，由另一位同事同意后停用' : '代理状态已更新'
}

export const useSwitchAgent = () =>
  useSwitch<Agent>({
    noun: '代理',
    counter: '个代理',
    done: switched,
    stale,
    keyOf: ({ agentId }) => agentId,
    called: ({ company }) => company,
    consequence: (agents, enable) =>
      enable ? '它的人员可以重新登录。' : disableConsequence(agents.reduce((sum, { childCount }) => sum + childCount, 0)),
    switchOne: (agentId, state, options) => setState({ agentId, state }, options),
    switchMany: (agentIds, state, options) => setState({ agentIds, state }, options),
  })

/** Deleting, after a question. */
export function useRemoveAgent() {
  const remove = useAskedCommand({ run: command.delete(AGENT_PATH), stale, done: '代理账号已删除' })
  const consequence = '它的人员会立即退出登录，登录手机号可以再次使用。删除后无法恢复；操作日志中仍可查到它的历史。'
  return ({ agentId, company }: Agent) => remove({ agentId }, { act: '删除代理', name: company, consequence })
}

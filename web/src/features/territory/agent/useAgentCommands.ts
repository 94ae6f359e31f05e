import { useBatch } from '@/kit/list/useBatch'
import { useCommand } from '@/kit/useCommand'
import { useDangerousConfirm } from '@/kit/useDangerousConfirm'
import { type Agent, AGENT_PATH, changeAgent, createAgent, deleteAgent, fieldOf, setAgentState, setAgentStates } from './agent'

/** The header's selector lists agents too. */
const stale = [[AGENT_PATH]] as const

export const useCreateAgent = () => useCommand({ run: createAgent, stale, done: '代理账号已新增', fieldOf })
export const useChangeAgent = () => useCommand({ run: changeAgent, stale, done: '代理账号已保存', fieldOf })

/** What follows when an agent with so many under it is disabled. */
export function disableConsequence(childCount: number): string {
  const children = childCount > 0 ? `${childCount} 个下级代理不受影响，` : ''
  return `它的人员会立即退出登录，启用前不能再登录；${children}服务区与车辆继续运营。`
}

const ENABLE_CONSEQUENCE = '它的人员可以重新登录。'

/** Why an agent cannot be deleted; nothing when it can. */
export function whyKept(agent: Pick<Agent, 'childCount' | 'areaCount'>): string | undefined {
  if (agent.childCount > 0) return `仍有 ${agent.childCount} 个下级代理，请先删除它们`
  if (agent.areaCount > 0) return `仍有 ${agent.areaCount} 个服务区，请先移交给其他代理`
  return undefined
}

/** Sets the state of several agents, each judged alone. */
export function useAgentBatch() {
  const run = useBatch<Agent>({ keyOf: ({ agentId }) => agentId, called: ({ company }) => company, counter: '个代理', stale })
  return (agents: readonly Agent[], enable: boolean, done: () => void) => {
    const [verb, state] = enable ? (['启用', 1] as const) : (['停用', 0] as const)
    const concerned = agents.filter((agent) => agent.state !== state)
    const children = concerned.reduce((sum, agent) => sum + agent.childCount, 0)
    run(
      {
        act: `批量${verb}`,
        verb,
        rows: concerned,
        none: `所选代理都已${verb}`,
        consequence: enable ? ENABLE_CONSEQUENCE : disableConsequence(children),
        run: (agentIds, options) => setAgentStates(agentIds, state, options),
      },
      done,
    )
  }
}

/** Enabling, disabling and deleting, each after a question. */
export function useAgentActs() {
  const ask = useDangerousConfirm()
  const state = useCommand({ run: setAgentState, stale, done: '代理状态已更新' })
  const removal = useCommand({ run: deleteAgent, stale, done: '代理账号已删除' })
  return {
    switchState({ agentId, company, state: now, childCount }: Agent) {
      const enable = now === 0
      ask({
        act: enable ? '启用代理' : '停用代理',
        name: company,
        consequence: enable ? ENABLE_CONSEQUENCE : disableConsequence(childCount),
        onConfirm: () => state.mutateAsync({ agentId, state: enable ? 1 : 0 }),
      })
    },
    remove({ agentId, company }: Agent) {
      ask({
        act: '删除代理',
        name: company,
        consequence: '它的人员会立即退出登录，登录手机号可以再次使用。删除后无法恢复；操作日志中仍可查到它的历史。',
        onConfirm: () => removal.mutateAsync({ agentId }),
      })
    },
  }
}

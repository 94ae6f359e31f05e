import { ListPage } from '@/kit/list/ListPage'
import { WithFranchisees } from '../franchisee/WithFranchisees'
import type { Agent } from './agent'
import { AgentDrawer } from './AgentDrawer'
import { AgentForm } from './AgentForm'
import { agentList } from './description'
import { useRemoveAgent, useSwitchAgent, whyKept } from './useAgentCommands'
import './agent.css'

export default function AgentListPage() {
  const { rowAction, batchActions } = useSwitchAgent()
  const remove = useRemoveAgent()
  return (
    <WithFranchisees>
      <ListPage<Agent>
        description={agentList}
        add={{ text: '新增代理', form: (close) => <AgentForm onSaved={close} /> }}
        editable
        rowActions={(agent) => [
          rowAction(agent),
          { key: 'delete', label: '删除', danger: true, unavailable: whyKept(agent), onRun: () => remove(agent) },
        ]}
        batchActions={batchActions}
        drawer={(id, close) => <AgentDrawer id={id} onClose={close} />}
      />
    </WithFranchisees>
  )
}

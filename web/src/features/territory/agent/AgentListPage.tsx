import { PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { ListPage } from '@/kit/list/ListPage'
import { WithFranchisees } from '../franchisee/WithFranchisees'
import type { Agent } from './agent'
import { AddAgentDrawer, AgentDrawer } from './AgentDrawer'
import { agentList } from './description'
import { useAgentActs, useAgentBatch, whyKept } from './useAgentCommands'
import './agent.css'

export default function AgentListPage() {
  const [adding, setAdding] = useState(false)
  const { switchState, remove } = useAgentActs()
  const batch = useAgentBatch()
  return (
    <WithFranchisees>
      <ListPage<Agent>
        description={agentList}
        main={
          <Button type="primary" icon={<PlusOutlined />} onClick={() => setAdding(true)}>
            新增代理
          </Button>
        }
        editable
        rowActions={(agent) => [
          { key: 'state', label: agent.state === 1 ? '停用' : '启用', onRun: () => switchState(agent) },
          { key: 'delete', label: '删除', danger: true, unavailable: whyKept(agent), onRun: () => remove(agent) },
        ]}
        batchActions={[
          { key: 'enable', label: '批量启用', onRun: (agents, done) => batch(agents, true, done) },
          { key: 'disable', label: '批量停用', danger: true, onRun: (agents, done) => batch(agents, false, done) },
        ]}
        drawer={(id, close) => <AgentDrawer id={id} onClose={close} />}
      />
      {adding && <AddAgentDrawer onClose={() => setAdding(false)} />}
    </WithFranchisees>
  )
}

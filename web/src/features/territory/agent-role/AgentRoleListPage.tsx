import { PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { ListPage } from '@/kit/list/ListPage'
import type { AgentRole } from './agentRole'
import { AddAgentRoleDrawer, AgentRoleDrawer } from './AgentRoleDrawer'
import { agentRoleList } from './description'
import { useRemoveAgentRole, whyKept } from './useAgentRoleCommands'

export default function AgentRoleListPage() {
  const [adding, setAdding] = useState(false)
  const remove = useRemoveAgentRole()
  return (
    <>
      <ListPage<AgentRole>
        description={agentRoleList}
        main={
          <Button type="primary" icon={<PlusOutlined />} onClick={() => setAdding(true)}>
            新增角色模板
          </Button>
        }
        editable
        rowActions={(role) => [
          { key: 'delete', label: '删除', danger: true, unavailable: whyKept(role), onRun: () => remove(role) },
        ]}
        drawer={(id, close) => <AgentRoleDrawer id={id} onClose={close} />}
      />
      {adding && <AddAgentRoleDrawer onClose={() => setAdding(false)} />}
    </>
  )
}

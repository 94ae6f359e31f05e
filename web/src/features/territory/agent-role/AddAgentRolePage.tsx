import { paths } from '@/app/routes'
import { NewRecordPage } from '@/kit/record/RecordPage'
import { AgentRoleForm } from './AgentRoleForm'

export default function AddAgentRolePage() {
  return (
    <NewRecordPage title="新增角色模板" need={{ code: '1102', page: '角色模板' }} back={paths.agentRole}>
      {(back) => <AgentRoleForm onSaved={back} />}
    </NewRecordPage>
  )
}

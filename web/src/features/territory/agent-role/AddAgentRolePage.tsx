import { Alert, Button, Space } from 'antd'
import { useNavigate } from 'react-router-dom'
import { paths } from '@/app/routes'
import { usePermit } from '@/kit/Permit'
import { AgentRoleForm } from './AgentRoleForm'
import { useCreateAgentRole } from './useAgentRoleCommands'

export default function AddAgentRolePage() {
  const navigate = useNavigate()
  const create = useCreateAgentRole()
  const permitted = usePermit('1102')
  const back = () => void navigate(paths.agentRole)
  return (
    <section className="panel role-page">
      <h1>新增角色模板</h1>
      {permitted ? (
        <>
          <AgentRoleForm id="agent-role-form" onSave={(values) => create.mutateAsync(values).then(back)} />
          <Space>
            <Button type="primary" htmlType="submit" form="agent-role-form" loading={create.isPending}>
              保存
            </Button>
            <Button onClick={back}>取消</Button>
          </Space>
        </>
      ) : (
        <Alert
          type="warning"
          showIcon
          title="没有新增角色模板的权限"
          description="请联系管理员为您的角色添加「角色模板」权限。"
        />
      )}
    </section>
  )
}

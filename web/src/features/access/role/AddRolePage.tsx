import { Button, Space } from 'antd'
import { useNavigate } from 'react-router-dom'
import { paths } from '@/app/routes'
import { RoleForm } from './RoleForm'
import { useCreateRole } from './useRoleCommands'

export default function AddRolePage() {
  const navigate = useNavigate()
  const create = useCreateRole()
  const back = () => void navigate(paths.role)
  return (
    <section className="panel role-page">
      <h1>新增角色</h1>
      <RoleForm id="role-form" onSave={(values, state) => create.mutateAsync({ ...values, state }).then(back)} />
      <Space>
        <Button type="primary" htmlType="submit" form="role-form" loading={create.isPending}>
          保存
        </Button>
        <Button onClick={back}>取消</Button>
      </Space>
    </section>
  )
}

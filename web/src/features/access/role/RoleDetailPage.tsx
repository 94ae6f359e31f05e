import { useQuery } from '@tanstack/react-query'
import { Button, Result, Skeleton, Space } from 'antd'
import { useNavigate, useSearchParams } from 'react-router-dom'
import { failureText } from '@/api/client'
import { paths } from '@/app/routes'
import { useFollow } from '@/kit/list/useFollow'
import { ROLE_PATH, roleInfo } from './role'
import { RoleEditor } from './RoleDrawer'
import { useChangeRole } from './useRoleCommands'

export default function RoleDetailPage() {
  const [params] = useSearchParams()
  const id = params.get('id') ?? ''
  const navigate = useNavigate()
  const query = useQuery({ ...roleInfo(id), enabled: id !== '' })
  const change = useChangeRole()
  useFollow('role', [ROLE_PATH])
  const back = () => void navigate(paths.role)

  if (id === '' || query.isError) {
    return (
      <section className="panel">
        <Result
          status="warning"
          title={id === '' ? '地址中缺少角色编号' : failureText(query.error, '角色加载失败')}
          extra={<Button onClick={back}>返回角色列表</Button>}
        />
      </section>
    )
  }
  return (
    <section className="panel role-page">
      <h1>{query.data?.name ?? '角色详情'}</h1>
      {query.data ? (
        <>
          <RoleEditor key={id} latest={query.data} onSaved={back} change={change} />
          <Space>
            {!query.data.system && (
              <Button type="primary" htmlType="submit" form="role-form" loading={change.isPending}>
                保存
              </Button>
            )}
            <Button onClick={back}>{query.data.system ? '返回' : '取消'}</Button>
          </Space>
        </>
      ) : (
        <Skeleton active />
      )}
    </section>
  )
}

import { PlusOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useMemo, useState } from 'react'
import { ListPage } from '@/kit/list/ListPage'
import { useFollow } from '@/kit/list/useFollow'
import { usePermit } from '@/kit/Permit'
import { PendingDevices } from '../device/PendingDevices'
import { userList } from './description'
import { AddUserDrawer, UserDrawer } from './UserDrawer'
import { agentChoices, enabledRoles, type User, USER_PATH } from './user'
import { useUserActs, useUserBatch } from './useUserCommands'

export default function UserListPage() {
  const [adding, setAdding] = useState(false)
  const { switchState, remove } = useUserActs()
  const batch = useUserBatch()
  const roles = useQuery(enabledRoles)
  // A renamed role changes what the rows say; only holders of 1001 are told of it.
  useFollow(usePermit('1001') ? 'role' : null, [USER_PATH])
  // Only holders of 01 may choose an agent; the others see one anyway.
  const mayListAgents = usePermit('01')
  const agents = useQuery({ ...agentChoices, enabled: mayListAgents })
  const description = useMemo(
    () =>
      userList(
        (roles.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
        mayListAgents ? (agents.data ?? []).map(({ agentId, company }) => ({ value: agentId, label: company })) : null,
      ),
    [roles.data, agents.data, mayListAgents],
  )
  return (
    <>
      <PendingDevices />
      <ListPage<User>
        description={description}
        main={
          <Button type="primary" icon={<PlusOutlined />} onClick={() => setAdding(true)}>
            新增人员
          </Button>
        }
        rowActions={(user) => [
          { key: 'state', label: user.state === 1 ? '停用' : '启用', onRun: () => switchState(user) },
          { key: 'delete', label: '删除', danger: true, onRun: () => remove(user) },
        ]}
        batchActions={[
          { key: 'enable', label: '批量启用', onRun: (users, done) => batch.switchState(users, true, done) },
          { key: 'disable', label: '批量停用', danger: true, onRun: (users, done) => batch.switchState(users, false, done) },
          { key: 'delete', label: '批量删除', danger: true, onRun: (users, done) => batch.remove(users, done) },
        ]}
        drawer={(id, close) => <UserDrawer key={id} id={id} onClose={close} />}
      />
      {adding && <AddUserDrawer onClose={() => setAdding(false)} />}
    </>
  )
}

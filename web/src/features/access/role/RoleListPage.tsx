import { PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { ListPage } from '@/kit/list/ListPage'
import { roleList } from './description'
import { AddRoleDrawer, RoleDrawer } from './RoleDrawer'
import type { Role } from './role'
import { useRoleActs, useRoleBatch } from './useRoleCommands'

/** Why nothing can be done with the system's own role. */
const SYSTEM_ROLE = '系统内置角色，不能修改、停用或删除'

export default function RoleListPage() {
  const [adding, setAdding] = useState(false)
  const { switchState, remove } = useRoleActs()
  const batch = useRoleBatch()
  return (
    <>
      <ListPage<Role>
        description={roleList}
        main={
          <Button type="primary" icon={<PlusOutlined />} onClick={() => setAdding(true)}>
            新增角色
          </Button>
        }
        editable={(role) => (role.system ? SYSTEM_ROLE : undefined)}
        rowActions={(role) => [
          {
            key: 'state',
            label: role.state === 1 ? '停用' : '启用',
            unavailable: role.system ? SYSTEM_ROLE : undefined,
            onRun: () => switchState(role),
          },
          {
            key: 'delete',
            label: '删除',
            danger: true,
            unavailable: role.system ? SYSTEM_ROLE : role.userCount > 0 ? `仍有 ${role.userCount} 位用户使用，不能删除` : undefined,
            onRun: () => remove(role),
          },
        ]}
        batchActions={[
          { key: 'enable', label: '批量启用', onRun: (roles, done) => batch(roles, true, done) },
          { key: 'disable', label: '批量停用', danger: true, onRun: (roles, done) => batch(roles, false, done) },
        ]}
        drawer={(id, close) => <RoleDrawer id={id} onClose={close} />}
      />
      {adding && <AddRoleDrawer onClose={() => setAdding(false)} />}
    </>
  )
}

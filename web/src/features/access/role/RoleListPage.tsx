import { ListPage, type RowAction } from '@/kit/list/ListPage'
import { RecordDrawer } from '@/kit/record/RecordDrawer'
import { roleList } from './description'
import type { Role } from './role'
import { RoleForm } from './RoleForm'
import { useRemoveRole, useSwitchRole } from './useRoleCommands'
import { useRoleRecord } from './useRoleRecord'

/** Why nothing can be done with the system's own role. */
const systemRole = ({ system }: Role) => (system ? '系统内置角色，不能修改、停用或删除' : undefined)
const whyKept = ({ userCount }: Role) => (userCount > 0 ? `仍有 ${userCount} 位用户使用，不能删除` : undefined)

export default function RoleListPage() {
  const { rowAction, batchActions } = useSwitchRole()
  const remove = useRemoveRole()
  const rowActions = (role: Role): RowAction[] => [
    { ...rowAction(role), unavailable: systemRole(role) },
    { key: 'delete', label: '删除', danger: true, unavailable: systemRole(role) ?? whyKept(role), onRun: () => remove(role) },
  ]
  return (
    <ListPage<Role>
      description={roleList}
      add={{ text: '新增角色', form: (close) => <RoleForm onSaved={close} /> }}
      editable={systemRole}
      rowActions={rowActions}
      batchActions={batchActions}
      drawer={(id, close) => <RoleDrawer id={id} onClose={close} />}
    />
  )
}

function RoleDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  return <RecordDrawer {...useRoleRecord(id, onClose)} onClose={onClose} />
}

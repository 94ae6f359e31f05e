import { useQuery } from '@tanstack/react-query'
import { Alert } from 'antd'
import { useState } from 'react'
import { Facts } from '@/kit/Facts'
import { EMPTY } from '@/kit/format'
import { FormDrawer } from '@/kit/FormDrawer'
import { LoadFailure } from '@/kit/LoadFailure'
import { NewerNotice } from '@/kit/NewerNotice'
import { EnabledTag } from '@/kit/StateTag'
import { Time } from '@/kit/Time'
import { type Role, roleInfo } from './role'
import { RoleForm } from './RoleForm'
import { useChangeRole, useCreateRole } from './useRoleCommands'

/** Adds a role. */
export function AddRoleDrawer({ onClose }: { onClose: () => void }) {
  const create = useCreateRole()
  return (
    <FormDrawer title="新增角色" wide form="role-form" saving={create.isPending} onClose={onClose}>
      <RoleForm id="role-form" onSave={(values, state) => create.mutateAsync({ ...values, state }).then(onClose)} />
    </FormDrawer>
  )
}

/** Shows a role and changes it. */
export function RoleDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(roleInfo(id))
  const change = useChangeRole()
  const form = query.data && !query.data.system ? 'role-form' : undefined
  return (
    <FormDrawer
      title={query.data?.name ?? '角色详情'}
      wide
      loading={query.isLoading}
      form={form}
      saving={change.isPending}
      onClose={onClose}
    >
      <LoadFailure query={query} text="角色加载失败" />
      {query.data && <RoleEditor key={id} latest={query.data} onSaved={onClose} change={change} />}
    </FormDrawer>
  )
}

interface RoleEditorProps {
  latest: Role
  onSaved(): void
  change: ReturnType<typeof useChangeRole>
}

/** Edits the version it was opened with; a newer one is announced, never laid over what is being written. */
export function RoleEditor({ latest, onSaved, change }: RoleEditorProps) {
  const [role, setRole] = useState(latest)
  return (
    <>
      <NewerNotice subject="这个角色" opened={role} latest={latest} onLoad={setRole} />
      {latest.system && <Alert className="notice" type="info" showIcon title="系统内置角色，不能修改" />}
      <RoleFacts role={latest} />
      <RoleForm
        key={role.version}
        id="role-form"
        role={role}
        users={latest.userCount}
        readOnly={role.system}
        onSave={(values) => change.mutateAsync({ ...values, id: role.id, version: role.version }).then(onSaved)}
      />
    </>
  )
}

function RoleFacts({ role }: { role: Role }) {
  return (
    <Facts
      facts={[
        { name: '状态', value: <EnabledTag state={role.state} /> },
        { name: '关联用户', value: <span className="figure">{role.userCount ?? EMPTY}</span> },
        { name: '更新人', value: role.updatedBy || EMPTY },
        { name: '更新时间', value: <Time at={role.updatedAt} /> },
      ]}
    />
  )
}

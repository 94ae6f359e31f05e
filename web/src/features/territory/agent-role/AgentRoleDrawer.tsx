import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Facts } from '@/kit/Facts'
import { FormDrawer } from '@/kit/FormDrawer'
import { LoadFailure } from '@/kit/LoadFailure'
import { NewerNotice } from '@/kit/NewerNotice'
import { Time } from '@/kit/Time'
import { type AgentRole, agentRoleInfo } from './agentRole'
import { AgentRoleForm } from './AgentRoleForm'
import { useChangeAgentRole, useCreateAgentRole } from './useAgentRoleCommands'

/** Adds a role template. */
export function AddAgentRoleDrawer({ onClose }: { onClose: () => void }) {
  const create = useCreateAgentRole()
  return (
    <FormDrawer title="新增角色模板" wide form="agent-role-form" saving={create.isPending} onClose={onClose}>
      <AgentRoleForm id="agent-role-form" onSave={(values) => create.mutateAsync(values).then(onClose)} />
    </FormDrawer>
  )
}

/** Shows a role template and changes it. */
export function AgentRoleDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery(agentRoleInfo(id))
  const change = useChangeAgentRole()
  return (
    <FormDrawer
      title={query.data?.name ?? '角色模板详情'}
      wide
      loading={query.isLoading}
      form={query.data ? 'agent-role-form' : undefined}
      saving={change.isPending}
      onClose={onClose}
    >
      <LoadFailure query={query} text="角色模板加载失败" />
      {query.data && (
        <AgentRoleEditor
          key={id}
          latest={query.data}
          onSave={(values) => change.mutateAsync(values).then(onClose)}
        />
      )}
    </FormDrawer>
  )
}

interface EditorProps {
  latest: AgentRole
  onSave(values: Parameters<ReturnType<typeof useChangeAgentRole>['mutateAsync']>[0]): Promise<unknown>
}

/** Edits the version it was opened with; a newer one is announced, never laid over what is being written. */
function AgentRoleEditor({ latest, onSave }: EditorProps) {
  const [role, setRole] = useState(latest)
  return (
    <>
      <NewerNotice subject="这个模板" opened={role} latest={latest} onLoad={setRole} />
      <Facts
        facts={[
          { name: '使用代理', value: <span className="figure">{latest.agentCount}</span> },
          { name: '权限数', value: <span className="figure">{latest.codes.length}</span> },
          { name: '更新时间', value: <Time at={latest.updatedAt} /> },
        ]}
      />
      <AgentRoleForm
        key={role.version}
        id="agent-role-form"
        role={role}
        agents={latest.agentCount}
        onSave={(values) => onSave({ ...values, id: role.id, version: role.version })}
      />
    </>
  )
}

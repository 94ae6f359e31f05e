import { useQuery } from '@tanstack/react-query'
import { command } from '@/api/client'
import { factsOf } from '@/kit/list/cells'
import type { ListDescription } from '@/kit/list/description'
import { ListPage } from '@/kit/list/ListPage'
import { RecordDrawer } from '@/kit/record/RecordDrawer'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { AGENT_ROLE_PATH, type AgentRole, agentRoleInfo, stale } from './agentRole'
import { AgentRoleForm } from './AgentRoleForm'

const list: ListDescription<AgentRole> = {
  id: 'agent-role',
  title: '角色模板',
  purpose: '模板是代理人员权限的上限；修改模板，对使用它的代理立即生效。',
  path: AGENT_ROLE_PATH,
  exported: true,
  table: 'agent_role',
  rowKey: (role) => role.id,
  emptyText: '还没有角色模板，先新增一个再分配给代理',
  filters: [{ kind: 'text', name: 'keyword', label: '关键词', placeholder: '模板名称或备注' }],
  columns: [
    { key: 'name', title: '模板名称', width: 180, strong: true, text: (role) => role.name },
    { kind: 'count', key: 'codes', title: '权限数', value: (role) => role.codes.length },
    { kind: 'count', key: 'agentCount', title: '使用代理', value: (role) => role.agentCount },
    { key: 'remark', title: '备注', width: 260, text: (role) => role.remark },
    { kind: 'time', key: 'updatedAt', title: '更新时间', value: (role) => role.updatedAt },
    { key: 'id', title: '模板编号', width: 170, optional: true, text: (role) => role.id },
  ],
}

export default function AgentRoleListPage() {
  const remove = useAskedCommand({ run: command.delete(AGENT_ROLE_PATH), stale, done: '角色模板已删除' })
  return (
    <ListPage<AgentRole>
      description={list}
      add={{ text: '新增角色模板', form: (close) => <AgentRoleForm onSaved={close} /> }}
      editable
      rowActions={({ id, name, agentCount }) => [
        {
          key: 'delete',
          label: '删除',
          danger: true,
          unavailable: agentCount > 0 ? `仍有 ${agentCount} 个代理使用，请先为它们更换模板` : undefined,
          onRun: () => remove({ id }, { act: '删除角色模板', name, consequence: '目前没有代理使用这个模板。删除后无法恢复；操作日志中仍可查到它的历史。' }),
        },
      ]}
      drawer={(id, close) => <AgentRoleDrawer id={id} onClose={close} />}
    />
  )
}

/** Shows a role template and changes it. */
function AgentRoleDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  return (
    <RecordDrawer
      id={id}
      query={useQuery(agentRoleInfo(id))}
      category="agent-role"
      words={{ untitled: '角色模板详情', failure: '角色模板加载失败', subject: '这个模板' }}
      title={({ name }) => name}
      facts={(role) => factsOf(list, role, 'agentCount', 'codes', 'updatedAt')}
      onClose={onClose}
    >
      {(role, { agentCount }) => <AgentRoleForm role={role} agents={agentCount} onSaved={onClose} />}
    </RecordDrawer>
  )
}

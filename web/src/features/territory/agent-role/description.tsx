import type { ListDescription } from '@/kit/list/description'
import { AGENT_ROLE_PATH, type AgentRole } from './agentRole'

export const agentRoleList: ListDescription<AgentRole> = {
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

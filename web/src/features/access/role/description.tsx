import { EMPTY, formatTime } from '@/kit/format'
import type { ListDescription } from '@/kit/list/description'
import { enabledColumn, enabledFilter } from '@/kit/list/enabled'
import { type Role, ROLE_PATH, tierLabel } from './role'

export const roleList: ListDescription<Role> = {
  id: 'role',
  title: '角色列表',
  purpose: '角色是一组权限；停用或修改角色，对使用它的人立即生效。',
  path: ROLE_PATH,
  exported: true,
  table: 'role',
  rowKey: (role) => role.id,
  emptyText: '还没有角色，先新增一个再分配给人员',
  filters: [
    { kind: 'text', name: 'keyword', label: '关键词', placeholder: '角色名称或备注' },
    enabledFilter,
  ],
  columns: [
    { key: 'name', title: '角色名称', width: 150, text: (role) => role.name, render: (role) => <strong>{role.name}</strong> },
    { key: 'tier', title: '级别', width: 72, text: (role) => tierLabel(role.tier) },
    enabledColumn(80),
    { key: 'codes', title: '权限数', width: 72, align: 'right', text: (role) => String(role.codes.length) },
    { key: 'userCount', title: '关联用户', width: 80, align: 'right', text: (role) => String(role.userCount) },
    { key: 'remark', title: '备注', width: 160, text: (role) => role.remark || EMPTY },
    { key: 'updatedBy', title: '更新人', width: 84, text: (role) => role.updatedBy || EMPTY },
    { key: 'updatedAt', title: '更新时间', width: 160, text: (role) => formatTime(role.updatedAt) },
    { key: 'id', title: '角色编号', width: 160, optional: true, text: (role) => role.id },
  ],
}

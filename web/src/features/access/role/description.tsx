import type { ListDescription } from '@/kit/list/description'
import { enabledColumn, enabledFilter } from '@/kit/list/enabled'
import { type Role, ROLE_PATH, tierLabel } from './role'
import { sightText } from './sight'

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
    { key: 'name', title: '角色名称', width: 150, strong: true, text: (role) => role.name },
    { key: 'tier', title: '级别', width: 72, text: (role) => tierLabel(role.tier) },
    enabledColumn(),
    { kind: 'count', key: 'codes', title: '权限数', width: 72, value: (role) => role.codes.length },
    { key: 'viewConfig', title: '可见车辆', width: 140, text: (role) => sightText(role.viewConfig) },
    { kind: 'count', key: 'userCount', title: '关联用户', value: (role) => role.userCount },
    { key: 'remark', title: '备注', width: 160, text: (role) => role.remark },
    { key: 'updatedBy', title: '更新人', width: 84, text: (role) => role.updatedBy },
    { kind: 'time', key: 'updatedAt', title: '更新时间', value: (role) => role.updatedAt },
    { key: 'id', title: '角色编号', width: 160, optional: true, text: (role) => role.id },
  ],
}

import { useQuery } from '@tanstack/react-query'
import { Alert } from 'antd'
import { factsOf } from '@/kit/list/cells'
import type { RecordParts } from '@/kit/record/RecordBody'
import { roleList } from './description'
import { type Role, roleInfo } from './role'
import { RoleForm } from './RoleForm'

/** A role as its drawer and its page show and change it. */
export function useRoleRecord(id: string, onSaved: () => void): RecordParts<Role> {
  return {
    id,
    query: useQuery({ ...roleInfo(id), enabled: id !== '' }),
    category: 'role',
    words: { untitled: '角色详情', failure: '角色加载失败', subject: '这个角色' },
    title: ({ name }) => name,
    above: ({ system }) => system && <Alert className="notice" type="info" showIcon title="系统内置角色，不能修改" />,
    facts: (role) => factsOf(roleList, role, 'state', 'userCount', 'updatedBy', 'updatedAt'),
    children: (role, { userCount }) => <RoleForm key={role.version} role={role} users={userCount} onSaved={onSaved} />,
  }
}

import { Tag } from 'antd'
import { areaChoices } from '@/kit/areaChoices'
import type { FilterOption, ListDescription } from '@/kit/list/description'
import { enabledColumn, enabledFilter } from '@/kit/list/enabled'
import { tiers } from '../role/role'
import { levelText } from './levels'
import { maskPhone, type Operator, OPERATOR_PATH } from './operator'
import { professions, professionText } from './profession'

/** How far a person sees, in a few words. */
export function reachText(operator: Operator): string {
  if (operator.isRoot) return '全部'
  const agents = operator.agentIds.length === 0 ? '全部代理商' : `${operator.agentIds.length} 个代理商`
  const areas = operator.opAreaIds.length === 0 ? '全部服务区' : `${operator.opAreaIds.length} 个服务区`
  return `${agents} · ${areas}`
}

const options = (choices: readonly { value: number; label: string }[]): FilterOption[] =>
  choices.map(({ value, label }) => ({ value: String(value), label }))

/** The list of people; roles to filter by come from the server, and so do agents, which not everyone may list. */
export function operatorList(roles: readonly FilterOption[], mayListAgents = false): ListDescription<Operator> {
  return {
    id: 'user',
    title: '人员列表',
    purpose: '能登录后台的人；停用、改角色或改数据范围，对本人立即生效。',
    path: OPERATOR_PATH,
    exported: true,
    table: 'operator',
    rowKey: (operator) => operator.objectId,
    emptyText: '还没有人员，先新增一个',
    filters: [
      { kind: 'text', name: 'keyword', label: '关键词', placeholder: '姓名或手机号' },
      enabledFilter,
      {
        kind: 'area',
        agent: 'agentId',
        area: 'opAreaId',
        label: mayListAgents ? '代理商 / 服务区' : '服务区',
        choices: areaChoices(mayListAgents ? '/platform/agent/account/list' : null),
      },
      { kind: 'select', name: 'roleId', label: '角色', options: roles },
      { kind: 'select', name: 'level', label: '级别', options: options(tiers) },
      { kind: 'select', name: 'profession', label: '工种', options: options(professions) },
    ],
    columns: [
      { key: 'name', title: '姓名', width: 88, strong: true, text: (operator) => operator.name },
      { kind: 'phone', key: 'phone', title: '手机号', width: 106, value: (operator) => maskPhone(operator.phone) },
      enabledColumn(),
      { key: 'level', title: '级别', width: 100, text: (operator) => levelText(operator.level) },
      { key: 'profession', title: '工种', width: 72, text: (operator) => professionText(operator.profession) },
      {
        key: 'roles',
        title: '角色',
        width: 120,
        text: (operator) => operator.roleNames.join('、'),
        render: (operator) =>
          operator.roleNames.length === 0 ? (
            <span className="weak">无角色，登录后看不到任何页面</span>
          ) : (
            <span title={operator.roleNames.join('、')}>
              {operator.roleNames.map((name, index) => (
                <Tag key={operator.roleIds[index]}>{name}</Tag>
              ))}
            </span>
          ),
      },
      { key: 'reach', title: '数据范围', width: 112, text: reachText },
      { kind: 'time', key: 'lastLoginAt', title: '最近登录', width: 150, value: (operator) => operator.lastLoginAt },
      { kind: 'time', key: 'createdAt', title: '创建时间', optional: true, value: (operator) => operator.createdAt },
      { key: 'objectId', title: '人员编号', width: 170, optional: true, text: (operator) => operator.objectId },
    ],
  }
}

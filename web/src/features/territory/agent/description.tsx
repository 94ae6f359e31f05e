import { EMPTY } from '@/kit/format'
import type { ListDescription } from '@/kit/list/description'
import { enabledColumn, enabledFilter } from '@/kit/list/enabled'
import { type Agent, AGENT_PATH, billingShort, contractText } from './agent'
import { ContractEnd } from './Contract'

const under = (agent: Agent) => agent.parentCompany ?? (agent.parentId === null ? '平台直属' : EMPTY)
const template = (agent: Agent) => agent.roleName ?? (agent.roleId === null ? '不限' : EMPTY)

export const agentList: ListDescription<Agent> = {
  id: 'agent-account',
  title: '账号管理',
  purpose: '代理运营服务区；停用代理，它的人员立即退出登录。',
  path: AGENT_PATH,
  exported: true,
  table: 'agent',
  rowKey: (agent) => agent.agentId,
  emptyText: '还没有代理，新增后可以为它分配服务区和人员',
  filters: [
    { kind: 'text', name: 'keyword', label: '关键词', placeholder: '公司、联系人或完整手机号' },
    enabledFilter,
  ],
  columns: [
    { key: 'company', title: '公司名称', width: 164, strong: true, text: (row) => row.company },
    enabledColumn(),
    { key: 'contact', title: '联系人', width: 72, text: (row) => row.contact },
    { kind: 'phone', key: 'phone', title: '登录手机号', width: 114, value: (row) => row.phone },
    { key: 'parent', title: '上级代理', width: 100, text: under },
    { key: 'role', title: '角色模板', width: 92, text: template },
    { key: 'billingWay', title: '收银模式', width: 84, text: (row) => billingShort(row.billingWay) },
    { kind: 'count', key: 'areaCount', title: '服务区', width: 64, value: (row) => row.areaCount },
    {
      key: 'contract',
      title: '合同到期',
      width: 122,
      text: (row) => contractText(row.contractBegin, row.contractEnd),
      render: (row) => <ContractEnd begin={row.contractBegin} end={row.contractEnd} />,
    },
    { kind: 'count', key: 'vehicleQuota', title: '车辆上限', optional: true, none: '不限', value: (row) => row.vehicleQuota },
    { kind: 'count', key: 'childCount', title: '下级代理', optional: true, value: (row) => row.childCount },
    { key: 'level', title: '级别', width: 72, optional: true, text: (row) => `${row.level} 级` },
    { kind: 'time', key: 'createdAt', title: '创建时间', optional: true, value: (row) => row.createdAt },
    { kind: 'time', key: 'updatedAt', title: '更新时间', optional: true, value: (row) => row.updatedAt },
    { key: 'remark', title: '备注', width: 180, optional: true, text: (row) => row.remark },
    { key: 'agentId', title: '代理编号', width: 170, optional: true, text: (row) => row.agentId },
  ],
}

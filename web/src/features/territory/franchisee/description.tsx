import { useState } from 'react'
import { serverNow } from '@/api/clock'
import { franchiseeStateLabels } from '@/api/generated/labels'
import { ink, readable } from '@/kit/theme'
import { areaChoices } from '@/kit/areaChoices'
import { optionsOf } from '@/kit/choice'
import { EMPTY_TIME } from '@/kit/format'
import type { ListDescription } from '@/kit/list/description'
import { endNotice, type Franchisee, FRANCHISEE_PATH, franchiseeState } from './franchisee'

/** The list of franchisees. */
export const franchiseeList: ListDescription<Franchisee> = {
  id: 'ally',
  title: '加盟商',
  purpose: '加盟商与代理签约、在服务区内投放；签约后按比例分成，合同到期日过后自动转为到期。',
  path: FRANCHISEE_PATH,
  exported: true,
  table: 'franchisee',
  rowKey: (franchisee) => franchisee.id,
  emptyText: '还没有加盟商，从洽谈开始登记第一家',
  filters: [
    { kind: 'text', name: 'keyword', label: '关键词', placeholder: '公司名称或信用代码' },
    { kind: 'area', agent: 'agentId', area: 'serviceAreaId', label: '代理 / 服务区', choices: areaChoices('/platform/agent/serviceArea/agents') },
    { kind: 'select', name: 'state', label: '状态', options: optionsOf(franchiseeStateLabels) },
  ],
  columns: [
    { key: 'company', title: '公司', width: 190, strong: true, text: (franchisee) => franchisee.company },
    { kind: 'choice', key: 'state', title: '状态', width: 92, value: (franchisee) => franchiseeState(franchisee.state) },
    { key: 'agent', title: '所属代理', width: 160, text: (franchisee) => franchisee.agentCompany },
    { key: 'areas', title: '服务区', width: 150, text: (franchisee) => franchisee.serviceAreas.map(({ name }) => name).join('、') },
    {
      key: 'contractEnd',
      title: '合同到期日',
      width: 150,
      text: (franchisee) => franchisee.contractEnd ?? EMPTY_TIME,
      render: (franchisee) => <ContractEnd franchisee={franchisee} />,
    },
    { kind: 'percent', key: 'ratio', title: '分成比例', value: (franchisee) => franchisee.divideRatioBp || null },
    { kind: 'count', key: 'vehicleCount', title: '车辆', width: 76, value: (franchisee) => franchisee.vehicleCount },
    { key: 'contact', title: '联系人', width: 80, text: (franchisee) => franchisee.contact },
    { kind: 'phone', key: 'phone', title: '联系电话', value: (franchisee) => franchisee.phone },
    { kind: 'money', key: 'deposit', title: '保证金（元）', value: (franchisee) => franchisee.depositPaid },
    { kind: 'time', key: 'updatedAt', title: '更新时间', optional: true, value: (franchisee) => franchisee.updatedAt },
    { key: 'licenseNo', title: '信用代码', width: 180, optional: true, text: (franchisee) => franchisee.licenseNo },
    { key: 'legalPerson', title: '法人', width: 80, optional: true, text: (franchisee) => franchisee.legalPerson },
    { key: 'joinedAt', title: '加盟日期', width: 110, optional: true, text: (franchisee) => franchisee.joinedAt ?? EMPTY_TIME },
    { key: 'remark', title: '备注', width: 160, optional: true, text: (franchisee) => franchisee.remark },
  ],
}

/** The last day, with a word when it is near. */
export function ContractEnd({ franchisee }: { franchisee: Franchisee }) {
  const [now] = useState(serverNow)
  const notice = endNotice(franchisee, now)
  return (
    <span className="figure">
      {franchisee.contractEnd ?? EMPTY_TIME}
      {notice && (
        <em className="franchisee-near" style={{ color: readable(ink.warning) }}>
          {notice}
        </em>
      )}
    </span>
  )
}

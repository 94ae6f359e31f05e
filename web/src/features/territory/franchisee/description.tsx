import { useState } from 'react'
import { serverNow } from '@/api/clock'
import { franchiseeStateLabels } from '@/api/generated/labels'
import { ink, readable } from '@/kit/theme'
import { optionsOf } from '@/kit/choice'
import { EMPTY, EMPTY_TIME, formatMoney, formatTime } from '@/kit/format'
import type { FilterOption, ListDescription } from '@/kit/list/description'
import { Money } from '@/kit/Money'
import { Dot } from '@/kit/StateTag'
import { endNotice, formatRatio, type Franchisee, FRANCHISEE_PATH, franchiseeState } from './franchisee'

/** The list of franchisees; `agents` fill the filter. */
export function franchiseeList(agents: readonly FilterOption[]): ListDescription<Franchisee> {
  return {
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
      { kind: 'select', name: 'agentId', label: '代理', options: agents },
      { kind: 'select', name: 'state', label: '状态', options: optionsOf(franchiseeStateLabels) },
    ],
    columns: [
      { key: 'company', title: '公司', width: 190, text: (franchisee) => franchisee.company, render: (franchisee) => <strong>{franchisee.company}</strong> },
      {
        key: 'state',
        title: '状态',
        width: 92,
        text: (franchisee) => franchiseeState(franchisee.state).label,
        render: (franchisee) => <Dot {...franchiseeState(franchisee.state)} />,
      },
      { key: 'agent', title: '所属代理', width: 160, text: (franchisee) => franchisee.agentCompany ?? EMPTY },
      { key: 'areas', title: '服务区', width: 150, text: (franchisee) => franchisee.serviceAreas.map(({ name }) => name).join('、') || EMPTY },
      {
        key: 'contractEnd',
        title: '合同到期日',
        width: 150,
        text: (franchisee) => franchisee.contractEnd ?? EMPTY_TIME,
        render: (franchisee) => <ContractEnd franchisee={franchisee} />,
      },
      { key: 'ratio', title: '分成比例', width: 88, align: 'right', text: (franchisee) => formatRatio(franchisee.divideRatioBp) },
      { key: 'vehicleCount', title: '车辆', width: 76, align: 'right', text: (franchisee) => franchisee.vehicleCount.toLocaleString() },
      { key: 'contact', title: '联系人', width: 80, text: (franchisee) => franchisee.contact || EMPTY },
      { key: 'phone', title: '联系电话', width: 120, text: (franchisee) => franchisee.phone || EMPTY },
      {
        key: 'deposit',
        title: '保证金（元）',
        width: 116,
        align: 'right',
        text: (franchisee) => formatMoney(franchisee.depositPaid),
        render: (franchisee) => <Money cents={franchisee.depositPaid} />,
      },
      { key: 'updatedAt', title: '更新时间', width: 160, optional: true, text: (franchisee) => formatTime(franchisee.updatedAt) },
      { key: 'licenseNo', title: '信用代码', width: 180, optional: true, text: (franchisee) => franchisee.licenseNo || EMPTY },
      { key: 'legalPerson', title: '法人', width: 80, optional: true, text: (franchisee) => franchisee.legalPerson || EMPTY },
      { key: 'joinedAt', title: '加盟日期', width: 110, optional: true, text: (franchisee) => franchisee.joinedAt ?? EMPTY_TIME },
      { key: 'remark', title: '备注', width: 160, optional: true, text: (franchisee) => franchisee.remark || EMPTY },
    ],
  }
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

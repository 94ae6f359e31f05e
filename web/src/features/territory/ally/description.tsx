import { useState } from 'react'
import { serverNow } from '@/api/clock'
import { ink, readable } from '@/app/theme'
import { EMPTY, EMPTY_TIME, formatMoney, formatTime } from '@/kit/format'
import type { FilterOption, ListDescription } from '@/kit/list/description'
import { Money } from '@/kit/Money'
import { Dot } from '@/kit/StateTag'
import { type Ally, ALLY_PATH, allyState, allyStates, endNotice, formatRatio } from './ally'

/** The list of franchisers; `agents` fill the filter. */
export function allyList(agents: readonly FilterOption[]): ListDescription<Ally> {
  return {
    id: 'ally',
    title: '加盟商',
    purpose: '加盟商与代理签约、在服务区内投放；签约后按比例分成，合同到期日过后自动转为到期。',
    path: ALLY_PATH,
    exported: true,
    table: 'ally',
    rowKey: (ally) => ally.id,
    emptyText: '还没有加盟商，从洽谈开始登记第一家',
    filters: [
      { kind: 'text', name: 'keyword', label: '关键词', placeholder: '公司名称或信用代码' },
      { kind: 'select', name: 'agentId', label: '代理', options: agents },
      {
        kind: 'select',
        name: 'state',
        label: '状态',
        options: allyStates.map(({ label }, state) => ({ value: String(state), label })),
      },
    ],
    columns: [
      { key: 'company', title: '公司', width: 190, text: (ally) => ally.company, render: (ally) => <strong>{ally.company}</strong> },
      {
        key: 'state',
        title: '状态',
        width: 92,
        text: (ally) => allyState(ally.state).label,
        render: (ally) => <Dot {...allyState(ally.state)} />,
      },
      { key: 'agent', title: '所属代理', width: 160, text: (ally) => ally.agentCompany ?? EMPTY },
      { key: 'areas', title: '服务区', width: 150, text: (ally) => ally.serviceAreas.map(({ name }) => name).join('、') || EMPTY },
      {
        key: 'contractEnd',
        title: '合同到期日',
        width: 150,
        text: (ally) => ally.contractEnd ?? EMPTY_TIME,
        render: (ally) => <ContractEnd ally={ally} />,
      },
      { key: 'ratio', title: '分成比例', width: 88, align: 'right', text: (ally) => formatRatio(ally.divideRatioBp) },
      { key: 'vehicleCount', title: '车辆', width: 76, align: 'right', text: (ally) => ally.vehicleCount.toLocaleString() },
      { key: 'contact', title: '联系人', width: 80, text: (ally) => ally.contact || EMPTY },
      { key: 'phone', title: '联系电话', width: 120, text: (ally) => ally.phone || EMPTY },
      {
        key: 'deposit',
        title: '保证金（元）',
        width: 116,
        align: 'right',
        text: (ally) => formatMoney(ally.depositPaid),
        render: (ally) => <Money cents={ally.depositPaid} />,
      },
      { key: 'updatedAt', title: '更新时间', width: 160, optional: true, text: (ally) => formatTime(ally.updatedAt) },
      { key: 'licenseNo', title: '信用代码', width: 180, optional: true, text: (ally) => ally.licenseNo || EMPTY },
      { key: 'legalPerson', title: '法人', width: 80, optional: true, text: (ally) => ally.legalPerson || EMPTY },
      { key: 'joinedAt', title: '加盟日期', width: 110, optional: true, text: (ally) => ally.joinedAt ?? EMPTY_TIME },
      { key: 'remark', title: '备注', width: 160, optional: true, text: (ally) => ally.remark || EMPTY },
    ],
  }
}

/** The last day, with a word when it is near. */
export function ContractEnd({ ally }: { ally: Ally }) {
  const [now] = useState(serverNow)
  const notice = endNotice(ally, now)
  return (
    <span className="figure">
      {ally.contractEnd ?? EMPTY_TIME}
      {notice && (
        <em className="ally-near" style={{ color: readable(ink.warning) }}>
          {notice}
        </em>
      )}
    </span>
  )
}

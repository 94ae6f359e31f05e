import { approvalStateLabels } from '@/api/generated/labels'
import { optionsOf } from '@/kit/choice'
import type { ListDescription } from '@/kit/list/description'
import { type Approval, amountOf, approvalState } from './approval'
import { APPROVALS } from './count'

/** The list of what waits for a second person and what was decided; `kinds` are the deeds that there are. */
export const approvalList = (kinds: readonly { kind: string; label: string }[]): ListDescription<Approval> => ({
  id: 'approval',
  title: '复核',
  purpose: '需要第二个人同意的操作：同意的同时执行，24 小时无人处理自动过期。',
  path: '/platform/approval/list',
  family: APPROVALS,
  exported: true,
  table: 'approval',
  rowKey: (approval) => approval.id,
  tabs: {
    name: 'view',
    label: '复核列表',
    options: [
      { value: '1', label: '待我复核' },
      { value: '2', label: '我提交的' },
    ],
  },
  emptyText: '没有与您有关的复核申请',
  filters: [
    { kind: 'text', name: 'keyword', label: '关键词', placeholder: '事项或申请人' },
    { kind: 'select', name: 'state', label: '状态', options: optionsOf(approvalStateLabels) },
    { kind: 'select', name: 'kind', label: '操作', options: kinds.map(({ kind, label }) => ({ value: kind, label })) },
    { kind: 'numbers', from: 'amountFrom', to: 'amountTo', label: '金额', unit: '元' },
    { kind: 'times', from: 'startTime', to: 'endTime', label: '申请时间' },
  ],
  columns: [
    { key: 'summary', title: '事项', width: 260, strong: true, text: (approval) => approval.summary },
    { key: 'kind', title: '操作', width: 110, text: (approval) => approval.kindLabel },
    { kind: 'choice', key: 'state', title: '状态', width: 92, value: (approval) => approvalState(approval.state) },
    { key: 'amount', title: '金额', width: 110, align: 'right', text: amountOf },
    { key: 'requesterName', title: '申请人', width: 90, text: (approval) => approval.requesterName },
    { kind: 'time', key: 'requestedAt', title: '申请时间', value: (approval) => approval.requestedAt },
    { kind: 'time', key: 'expiresAt', title: '有效至', value: (approval) => approval.expiresAt },
    { key: 'deciderName', title: '复核人', width: 90, text: (approval) => approval.deciderName },
    { kind: 'time', key: 'decidedAt', title: '处理时间', value: (approval) => approval.decidedAt },
    { key: 'reason', title: '申请原因', width: 180, optional: true, text: (approval) => approval.reason },
    { key: 'decisionReason', title: '驳回原因', width: 180, optional: true, text: (approval) => approval.decisionReason },
    { key: 'id', title: '申请编号', width: 170, optional: true, text: (approval) => approval.id },
  ],
})

import { blacklistKindLabels, blacklistScopeLabels, blacklistStateLabels } from '@/api/generated/labels'
import { areaChoices } from '@/kit/areaChoices'
import { labelOf, optionsOf } from '@/kit/choice'
import type { ListDescription } from '@/kit/list/description'
import { BLACKLIST_PATH, type BlacklistEntry, blacklistState } from './blacklist'

/** Those that hold come first. */
const states = optionsOf(blacklistStateLabels).toSorted((one, other) => Number(other.value === '1') - Number(one.value === '1'))

/** The blacklist. */
export const blacklistList: ListDescription<BlacklistEntry> = {
  id: 'blacklist',
  title: '黑名单',
  purpose: '黑名单中的用户不能开锁用车；进行中的骑行不会中断，还车后生效。到期自动失效。',
  path: BLACKLIST_PATH,
  exported: true,
  table: 'blacklist_entry',
  rowKey: (entry) => entry.id,
  emptyText: '黑名单是空的',
  tabs: { name: 'state', label: '状态', options: states },
  filters: [
    { kind: 'text', name: 'keyword', label: '关键词', placeholder: '手机号、姓名、用户编号或原因' },
    { kind: 'select', name: 'kind', label: '来源', options: optionsOf(blacklistKindLabels) },
    { kind: 'select', name: 'scope', label: '范围', options: optionsOf(blacklistScopeLabels) },
    { kind: 'area', agent: 'agentId', area: 'opAreaId', label: '服务区', choices: areaChoices(null) },
    { kind: 'times', from: 'startTime', to: 'endTime', label: '添加时间' },
  ],
  columns: [
    { key: 'nameMasked', title: '姓名', width: 90, strong: true, text: (entry) => entry.nameMasked },
    { kind: 'phone', key: 'phoneMasked', title: '手机号', none: '已注销', value: (entry) => entry.phoneMasked },
    { kind: 'choice', key: 'state', title: '状态', width: 92, value: (entry) => blacklistState(entry.state) },
    { key: 'reason', title: '拉黑原因', width: 220, text: (entry) => entry.reason },
    { key: 'scope', title: '范围', width: 90, text: (entry) => labelOf(blacklistScopeLabels, entry.scope) },
    { key: 'kind', title: '来源', width: 80, text: (entry) => labelOf(blacklistKindLabels, entry.kind) },
    { kind: 'time', key: 'createdAt', title: '添加时间', value: (entry) => entry.createdAt },
    { kind: 'time', key: 'until', title: '到期时间', none: '永久', value: (entry) => entry.until },
    { key: 'addedBy', title: '添加人', width: 90, text: (entry) => entry.addedBy },
    { key: 'areaName', title: '服务区', width: 140, text: (entry) => entry.areaName },
    { kind: 'count', key: 'photos', title: '证据', width: 72, value: (entry) => entry.photos.length },
    { kind: 'time', key: 'closedAt', title: '结束时间', optional: true, value: (entry) => entry.closedAt },
    { key: 'liftedBy', title: '解除人', width: 90, optional: true, text: (entry) => entry.liftedBy },
    { key: 'liftReason', title: '解除原因', width: 160, optional: true, text: (entry) => entry.liftReason },
    { key: 'userId', title: '用户编号', width: 170, optional: true, text: (entry) => entry.userId },
  ],
}

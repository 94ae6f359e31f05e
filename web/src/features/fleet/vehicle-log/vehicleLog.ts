import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import { actorKindLabels, lifeEventLabels, lifeGroupLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { areaChoices } from '@/kit/areaChoices'
import { labelOf, optionsOf } from '@/kit/choice'
import { formatTime } from '@/kit/format'
import type { FilterOption, ListDescription } from '@/kit/list/description'
import type { TagStyle } from '@/kit/StateTag'
import { stateStyle } from '@/kit/theme'

export const VEHICLE_LOG_PATH = '/log/vehicle'
const INFO_PATH = '/log/vehicle/{id}'

/** An event of a bike's life. */
export type VehicleEvent = DataOf<typeof VEHICLE_LOG_PATH>['rows'][number]
export type LifeChange = VehicleEvent['changes'][number]
type Group = VehicleEvent['group']

/** Registered, on the street, ridden, worked on, wrong, ordered, paid for, told. */
const groupColors: Readonly<Record<Group, string>> = {
  1: stateStyle[7].color,
  2: stateStyle[6].color,
  3: stateStyle[1].color,
  4: stateStyle[3].color,
  5: stateStyle[5].color,
  6: stateStyle[2].color,
  7: stateStyle[4].color,
  8: stateStyle[0].color,
}

export const eventTag = ({ event, group }: Pick<VehicleEvent, 'event' | 'group'>): TagStyle => ({
  label: labelOf(lifeEventLabels, event),
  color: groupColors[group] ?? stateStyle[7].color,
})

/** All events, each under its group. */
export const eventOptions: readonly FilterOption[] = optionsOf(lifeEventLabels).map((option) => ({
  ...option,
  group: labelOf(lifeGroupLabels, Math.floor(Number(option.value) / 100)),
}))

/** `骑行状态：待使用 → 骑行中`, one after the other. */
export function changesText(changes: readonly LifeChange[]): string {
  return changes.map(({ field, from, to }) => `${field}：${from || '无'} → ${to || '无'}`).join('；')
}

/** Who did it: what he is, and his name where that is known. */
export function actorText({ actorKind, actorName }: Pick<VehicleEvent, 'actorKind' | 'actorName'>): string {
  return [labelOf(actorKindLabels, actorKind), actorName].filter(Boolean).join(' · ')
}

const HOUR_MS = 3_600_000
const dayOf = (at: number) => formatTime(at).slice(0, 10)

/** Everything of a trace: what followed within the hour may lie on the next day. */
export function traceAddress({ traceId, at }: Pick<VehicleEvent, 'traceId' | 'at'>): string {
  const days = { traceId, startTime: dayOf(at - HOUR_MS), endTime: dayOf(at + HOUR_MS) }
  return `/operation/vehicle-log?${new URLSearchParams(days)}`
}

export const vehicleEvent = (id: string) =>
  queryOptions({
    queryKey: [VEHICLE_LOG_PATH, 'one', id],
    queryFn: ({ signal }) => api.get(INFO_PATH, {}, { path: { id }, signal }),
  })

/** Lives of bikes. */
export const vehicleLog: ListDescription<VehicleEvent> = {
  id: 'vehicle-log',
  title: '车辆日志',
  purpose: '一辆车从登记到今天发生过什么：上下架、骑行、运维、告警、订单、费用和指令，点开一条可以沿链路看前因后果；一次最多查看或导出 31 天。',
  path: VEHICLE_LOG_PATH,
  exported: true,
  rowKey: (row) => row.id,
  emptyText: '这段时间没有车辆事件，可以选择更长的时间范围（最多 31 天）',
  filters: [
    { kind: 'times', from: 'startTime', to: 'endTime', label: '时间', quick: ['today', 'yesterday', '7d', '30d'], usual: '7d' },
    { kind: 'text', name: 'carId', label: '车辆', placeholder: '车辆编号或 15 位 IMEI' },
    { kind: 'select', name: 'group', label: '事件类别', options: optionsOf(lifeGroupLabels) },
    { kind: 'several', name: 'events', label: '事件', options: eventOptions },
    { kind: 'select', name: 'actorKind', label: '操作主体', options: optionsOf(actorKindLabels) },
    { kind: 'area', agent: 'agentId', area: 'opAreaId', label: '服务区', choices: areaChoices(null) },
    { kind: 'text', name: 'orderId', label: '订单号' },
    { kind: 'text', name: 'traceId', label: '链路编号' },
  ],
  columns: [
    { kind: 'time', key: 'at', title: '时间', value: (row) => row.at },
    { key: 'carId', title: '车辆编号', width: 120, strong: true, text: (row) => row.carId },
    { kind: 'choice', key: 'event', title: '事件', width: 136, value: eventTag },
    { key: 'content', title: '内容', width: 220, text: (row) => row.content },
    { key: 'changes', title: '变化', width: 220, text: (row) => changesText(row.changes) },
    { key: 'actorKind', title: '操作主体', width: 84, text: (row) => labelOf(actorKindLabels, row.actorKind) },
    { key: 'actorName', title: '操作人', width: 150, text: (row) => row.actorName },
    { key: 'areaName', title: '服务区', width: 130, text: (row) => row.areaName },
    { key: 'orderId', title: '订单号', width: 178, optional: true, text: (row) => row.orderId },
    { key: 'imei', title: 'IMEI', width: 150, optional: true, text: (row) => row.imei },
    { key: 'traceId', title: '链路编号', width: 250, optional: true, text: (row) => row.traceId },
    { key: 'id', title: '日志编号', width: 110, optional: true, text: (row) => row.id },
  ],
}

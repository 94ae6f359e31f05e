import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import { missActLabels, missReasonLabels } from '@/api/generated/labels'
import type { DataOf, QueryOf } from '@/api/shapes'
import { areaChoices } from '@/kit/areaChoices'
import { labelOf, optionsOf } from '@/kit/choice'
import type { Filters, ListDescription } from '@/kit/list/description'
import type { TagStyle } from '@/kit/StateTag'
import { stateStyle } from '@/kit/theme'

export const MISS_PATH = '/order/miss/list'
const SUMMARY_PATH = '/order/miss/summary'
const INFO_PATH = '/order/miss/{id}'

export type Miss = DataOf<typeof MISS_PATH>['rows'][number]
export type MissSummary = DataOf<typeof SUMMARY_PATH>
type Reason = Miss['reason']

/** Where the first reasons of each kind begin: bikes, riders, locks, and what else there is. */
const RIDERS = 20
const LOCKS = 30
const OTHERS = 40

/** Of whose making it is. */
function colorOf(reason: Reason): string {
  if (reason >= OTHERS) return stateStyle[7].color
  if (reason >= LOCKS) return stateStyle[5].color
  return reason >= RIDERS ? stateStyle[2].color : stateStyle[4].color
}

export const missReason = (reason: Reason): TagStyle => ({ label: labelOf(missReasonLabels, reason), color: colorOf(reason) })

/** Misses by reason, of what the list is asked for whatever the reason. */
export function missSummary(asked: Filters) {
  const { reason: _, ...others } = asked
  return queryOptions({
    queryKey: [MISS_PATH, 'summary', others],
    queryFn: ({ signal }) => api.get(SUMMARY_PATH, others as QueryOf<typeof SUMMARY_PATH>, { signal }),
    placeholderData: keepPreviousData,
  })
}

export const missInfo = (id: string) =>
  queryOptions({ queryKey: [MISS_PATH, 'one', id], queryFn: ({ signal }) => api.get(INFO_PATH, {}, { path: { id }, signal }) })

export interface MissPart {
  reason: Reason
  label: string
  color: string
  misses: number
  /** Of all, whole. */
  percent: number
}

/** Each reason with its part of all. */
export function partsOf({ reasons }: MissSummary): MissPart[] {
  const sum = reasons.reduce((all, { misses }) => all + misses, 0)
  return reasons.map(({ reason, misses }) => ({ reason, misses, percent: Math.round((misses * 100) / sum), ...missReason(reason) }))
}

/** `24.500000, 118.100000`; nothing where nobody told. */
export function placeText({ lat, lng }: Pick<Miss, 'lat' | 'lng'>): string {
  return typeof lat === 'number' && typeof lng === 'number' ? `${lat.toFixed(6)}, ${lng.toFixed(6)}` : ''
}

/** Missed orders. */
export const missList: ListDescription<Miss> = {
  id: 'order-miss',
  title: '丢单',
  purpose: '想用车却没有用上：扫码、预约、开锁失败和 300 米内无车可租，按原因拆分；同一用户对同一辆车两分钟内的多次尝试算一次，保留 90 天。',
  path: MISS_PATH,
  exported: true,
  rowKey: (miss) => miss.id,
  emptyText: '这段时间没有丢单',
  filters: [
    { kind: 'times', from: 'startTime', to: 'endTime', label: '时间', quick: ['today', 'yesterday', '7d', '30d'], usual: '7d' },
    { kind: 'select', name: 'reason', label: '丢单原因', options: optionsOf(missReasonLabels) },
    { kind: 'area', agent: 'agentId', area: 'opAreaId', label: '服务区', choices: areaChoices(null) },
    { kind: 'text', name: 'keyword', label: '关键词', placeholder: '车辆编号或完整手机号' },
    { kind: 'select', name: 'act', label: '环节', options: optionsOf(missActLabels) },
  ],
  columns: [
    { kind: 'time', key: 'at', title: '丢单时间', value: (miss) => miss.at },
    { kind: 'choice', key: 'reason', title: '丢单原因', width: 150, value: (miss) => missReason(miss.reason) },
    { key: 'act', title: '环节', width: 72, text: (miss) => labelOf(missActLabels, miss.act) },
    { key: 'carId', title: '车辆编号', width: 120, strong: true, text: (miss) => miss.carId },
    { kind: 'phone', key: 'phone', title: '手机号', none: '未知', value: (miss) => miss.phone },
    { key: 'areaName', title: '服务区', width: 130, text: (miss) => miss.areaName },
    { key: 'parkingName', title: '最近站点', width: 150, text: (miss) => miss.parkingName },
    { kind: 'count', key: 'tries', title: '次数', width: 72, value: (miss) => miss.tries },
    { kind: 'time', key: 'lastAt', title: '最后一次', value: (miss) => miss.lastAt },
    { key: 'detail', title: '说明', width: 240, text: (miss) => miss.detail },
    { key: 'lat', title: '纬度', width: 100, optional: true, align: 'right', text: (miss) => miss.lat?.toFixed(6) },
    { key: 'lng', title: '经度', width: 108, optional: true, align: 'right', text: (miss) => miss.lng?.toFixed(6) },
    { key: 'userId', title: '用户编号', width: 178, optional: true, text: (miss) => miss.userId },
  ],
}

import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import { anomalyKindLabels, anomalyStateLabels, doubtLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { areaChoices } from '@/kit/areaChoices'
import { labelOf, optionsOf, tagOf } from '@/kit/choice'
import { formatMoney, formatTime } from '@/kit/format'
import type { ListDescription } from '@/kit/list/description'
import type { TagStyle } from '@/kit/StateTag'
import { stateStyle } from '@/kit/theme'
import { lastedText, ORDER_PATH } from './order'

export const ANOMALY_PATH = '/order/anomaly/list'
const SUMMARY_PATH = '/order/anomaly/summary'
export const CLOSE_PATH = '/order/anomaly/close'

/** So many are ended by one call. */
export const ENDED_AT_ONCE = 200
const SECOND_MS = 1000
/** The server looks at all orders every minute. */
const LOOKED_EVERY_MS = 30 * SECOND_MS

export type OrderAnomaly = DataOf<typeof ANOMALY_PATH>['rows'][number]
export type AnomalySummary = DataOf<typeof SUMMARY_PATH>

/** Its number in the list's states. */
export const OPEN = 0

/** What ending some of them makes stale. */
export const anomaliesStale = [[ANOMALY_PATH], [SUMMARY_PATH], [ORDER_PATH], ['order']] as const

export const anomalySummary = queryOptions({
  queryKey: [SUMMARY_PATH],
  queryFn: ({ signal }) => api.get(SUMMARY_PATH, {}, { signal }),
  refetchInterval: LOOKED_EVERY_MS,
})

const kindColors: Readonly<Record<OrderAnomaly['kind'], string>> = {
  1: stateStyle[5].color,
  2: stateStyle[7].color,
  3: stateStyle[4].color,
  4: stateStyle[2].color,
}

export const anomalyKind = (kind: OrderAnomaly['kind']): TagStyle => tagOf(kind, anomalyKindLabels, kindColors)

/** `已关 · 2026-11-24 08:00:00`, as the device told. */
export function lockText({ reportAt, locked, lockClosedAt }: Pick<OrderAnomaly, 'reportAt' | 'locked' | 'lockClosedAt'>): string {
  if (typeof reportAt !== 'number') return '未上报'
  if (!locked) return '已开'
  return typeof lockClosedAt === 'number' ? `已关 · ${formatTime(lockClosedAt)}` : '已关'
}

/** `12 分 3 秒前`, as seen from `now_ms`; nothing of what never was. */
export function agoText(at_ms: number | null | undefined, now_ms: number): string {
  return typeof at_ms === 'number' ? `${lastedText(Math.max(0, Math.floor((now_ms - at_ms) / SECOND_MS)))}前` : ''
}

/** Who ended it. */
export function closedByText({ isBySystem, who }: Pick<OrderAnomaly, 'isBySystem' | 'who'>): string {
  if (typeof isBySystem !== 'boolean') return ''
  return isBySystem ? '系统自动' : (who ?? '人工')
}

/** Why these cannot be ended at their true time together; nothing when they can. */
export function unendable(rows: readonly OrderAnomaly[]): string | undefined {
  if (rows.some(({ state }) => state !== OPEN)) return '选中的订单里有已经结束的'
  if (rows.some(({ endAt }) => typeof endAt !== 'number')) return '选中的订单里有推断不出真实结束时间的，请在订单详情中强制结束'
  return rows.length > ENDED_AT_ONCE ? `一次最多结束 ${ENDED_AT_ONCE} 个订单` : undefined
}

/** What ending them takes off, in cents. */
export const savedBy = (rows: readonly OrderAnomaly[]) => rows.reduce((sum, { savedCents }) => sum + (savedCents ?? 0), 0)

const minutes = (ms: number) => `${Math.round(ms / 60_000)} 分钟`

/** When the server last looked at all orders. */
const lookedText = ({ lookedAt }: AnomalySummary) => (typeof lookedAt === 'number' ? `上次核对 ${formatTime(lookedAt)}` : '尚未核对')

/** `24 小时`, `1 小时 30 分钟`. */
function hoursText(ms: number): string {
  const hours = Math.floor(ms / 3_600_000)
  const rest = Math.round((ms % 3_600_000) / 60_000)
  return [hours > 0 ? `${hours} 小时` : '', rest > 0 ? `${rest} 分钟` : ''].filter(Boolean).join(' ')
}

/** How many areas are named with what a ride may last there. */
const NAMED_MOST = 5

/** How long a ride may last: `24 小时（湖滨 6 小时）`. */
export function rideLimitText({ limits, areas }: Pick<AnomalySummary, 'limits' | 'areas'>): string {
  if (areas.length === 0) return hoursText(limits.rideMs)
  const named = areas.slice(0, NAMED_MOST).map(({ areaName, rideMs }) => `${areaName} ${hoursText(rideMs)}`)
  return `${hoursText(limits.rideMs)}（${named.join('、')}${areas.length > NAMED_MOST ? ` 等 ${areas.length} 个服务区另有上限` : ''}）`
}

/** What counts as strange, by each area's own limits. */
export function limitsText(summary: AnomalySummary): string {
  const { limits } = summary
  return `锁已关 ${minutes(limits.lockMs)}、失联 ${minutes(limits.silentMs)}、${minutes(limits.stillMs)}未移动，或骑行超过 ${rideLimitText(summary)}`
}

/** What the server does by itself, and when it last did. */
export function emptyText(summary: AnomalySummary | undefined): string {
  if (!summary) return '没有异常订单'
  return `没有异常订单。系统每分钟把骑行中的订单与车辆中控核对：${limitsText(summary)}的会列在这里；锁的关闭时刻确定时自动按该时刻结束。${lookedText(summary)}。`
}

/** What was ended lately, in words. */
export function sumsText(summary: AnomalySummary): string {
  const { closed, closedBySystem, savedCents } = summary
  return `${lookedText(summary)} · 近 30 天按真实时间结束 ${closed} 单（系统自动 ${closedBySystem} 单），为用户减免 ${formatMoney(savedCents)} 元`
}

const TRUTH = [
  { value: 'true', label: '系统自动' },
  { value: 'false', label: '人工' },
]

/** Strange orders; `now_ms` is what ages are counted to. */
export function anomalyList(summary: AnomalySummary | undefined, now_ms: number): ListDescription<OrderAnomaly> {
  return {
    id: 'order-anomaly',
    title: '异常订单',
    purpose: '订单仍在骑行中，而车锁已关、设备失联、长时间未移动或骑行过久；按真实时间结束，不让用户多付。',
    path: ANOMALY_PATH,
    exported: true,
    rowKey: (it) => it.orderId,
    emptyText: emptyText(summary),
    tabs: {
      name: 'state',
      label: '处理状态',
      options: optionsOf(anomalyStateLabels).map((one) => (summary && one.value === String(OPEN) ? { ...one, count: summary.open } : one)),
    },
    filters: [
      { kind: 'text', name: 'keyword', label: '关键词', placeholder: '订单号、车辆编号或完整手机号' },
      { kind: 'select', name: 'kind', label: '异常类型', options: optionsOf(anomalyKindLabels) },
      { kind: 'area', agent: 'agentId', area: 'opAreaId', label: '服务区', choices: areaChoices(null) },
      { kind: 'select', name: 'bySystem', label: '结束人', options: TRUTH },
    ],
    columns: [
      { key: 'orderId', title: '订单号', width: 178, strong: true, text: (it) => it.orderId },
      { kind: 'choice', key: 'kind', title: '异常类型', width: 150, value: (it) => anomalyKind(it.kind) },
      { key: 'state', title: '状态', width: 84, text: (it) => labelOf(anomalyStateLabels, it.state) },
      { key: 'carId', title: '车辆编号', width: 130, text: (it) => it.carId },
      { kind: 'phone', key: 'phone', title: '手机号', none: '已注销', value: (it) => it.phone },
      { key: 'areaName', title: '服务区', width: 120, text: (it) => it.areaName },
      { kind: 'time', key: 'startAt', title: '开始时间', value: (it) => it.startAt },
      { kind: 'time', key: 'sinceAt', title: '异常开始', value: (it) => it.sinceAt },
      { key: 'locked', title: '车锁', width: 210, text: lockText },
      { key: 'fixAt', title: '最后定位', width: 124, text: (it) => (it.state === OPEN ? agoText(it.fixAt, now_ms) : formatTime(it.fixAt)) },
      { kind: 'time', key: 'stoodSince', title: '静止开始', none: '未静止', value: (it) => it.stoodSince },
      { kind: 'time', key: 'endAt', title: '真实结束时间', none: '无法推断', value: (it) => it.endAt },
      { kind: 'money', key: 'wouldCents', title: '至今费用（元）', width: 124, value: (it) => it.wouldCents },
      { kind: 'money', key: 'endCents', title: '真实费用（元）', width: 124, value: (it) => it.endCents },
      { kind: 'money', key: 'savedCents', title: '减免（元）', width: 104, value: (it) => it.savedCents },
      { key: 'closedBy', title: '结束人', width: 100, text: closedByText },
      { key: 'doubt', title: '需人工处理的原因', width: 230, text: (it) => (typeof it.doubt === 'number' ? labelOf(doubtLabels, it.doubt) : '') },
      { key: 'reason', title: '结束原因', width: 200, optional: true, text: (it) => it.reason },
      { kind: 'time', key: 'lockClosedAt', title: '关锁时间', optional: true, value: (it) => it.lockClosedAt },
      { kind: 'time', key: 'reportAt', title: '最后上报', optional: true, value: (it) => it.reportAt },
      { kind: 'time', key: 'listedAt', title: '发现或结束时间', optional: true, value: (it) => it.listedAt },
      { key: 'rideMaxMs', title: '服务区骑行上限', width: 124, optional: true, unexported: true, text: (it) => (typeof it.rideMaxMs === 'number' ? hoursText(it.rideMaxMs) : '') },
    ],
  }
}

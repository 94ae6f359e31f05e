import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import { fenceKindLabels, mispricedStateLabels, mispricingStateLabels, mispricingSubjectLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { areaChoices } from '@/kit/areaChoices'
import { labelOf, optionsOf, tagOf } from '@/kit/choice'
import { formatMoney, formatTime } from '@/kit/format'
import type { ListDescription } from '@/kit/list/description'
import type { Choices } from '@/kit/list/RemoteSelect'
import type { TagStyle } from '@/kit/StateTag'
import { stateStyle } from '@/kit/theme'
import { ORDER_PATH } from './order'

export const MISPRICING_PATH = '/order/mispricing/list'
const CASE_PATH = '/order/mispricing/{id}'
const ORDERS_PATH = '/order/mispricing/order/list'
const FENCES_PATH = '/order/mispricing/fences'
const VERSIONS_PATH = '/order/mispricing/versions'
export const FIND_PATH = '/order/mispricing/find'
export const REFUND_PATH = '/order/mispricing/refund'
export const DISCARD_PATH = '/order/mispricing/discard'

export type Mispricing = DataOf<typeof MISPRICING_PATH>['rows'][number]
export type MispricedOrder = DataOf<typeof ORDERS_PATH>['rows'][number]
export type VersionChoice = DataOf<typeof VERSIONS_PATH>[number]
export type Subject = Mispricing['subject']

/** The numbers of the wire. */
export const FOUND = 0
export const REFUNDING = 1
export const BILLING = 1
export const FENCE = 2
/** A select has no null: the fence should not have been there. */
export const NOT_THERE = -1

const DAY_MS = 86_400_000
const SECOND_MS = 1000
/** A case looks at rides of so many days at most. */
export const DAYS_MAX = 92
const PROGRESS_MS = 1000

/** What a change of a case makes stale. */
export const mispricingsStale = [[MISPRICING_PATH], [CASE_PATH], [ORDERS_PATH], [ORDER_PATH], ['order'], ['/platform/approval']] as const

const stateColors: Readonly<Record<Mispricing['state'], string>> = {
  0: stateStyle[4].color,
  1: stateStyle[1].color,
  2: stateStyle[0].color,
  3: stateStyle[7].color,
}
const resultColors: Readonly<Record<MispricedOrder['state'], string>> = {
  0: stateStyle[4].color,
  1: stateStyle[0].color,
  2: stateStyle[6].color,
  3: stateStyle[5].color,
  4: stateStyle[7].color,
}

export const mispricingState = (state: Mispricing['state']): TagStyle => tagOf(state, mispricingStateLabels, stateColors)
const mispricedState = (state: MispricedOrder['state']): TagStyle => tagOf(state, mispricedStateLabels, resultColors)

/** A case; asked again every second while its orders are settled. */
export const mispricing = (id: string) =>
  queryOptions({
    queryKey: [CASE_PATH, id],
    queryFn: ({ signal }) => api.get(CASE_PATH, {}, { path: { id }, signal }),
    refetchInterval: ({ state }) => (state.data?.state === REFUNDING ? PROGRESS_MS : false),
  })

/** Fences of an area, by a part of their name. */
export const wrongFences =
  (opAreaId: string): Choices =>
  (keyword) => ({
    queryKey: [FENCES_PATH, opAreaId, keyword],
    queryFn: async ({ signal }) => {
      const found = await api.get(FENCES_PATH, { opAreaId, ...(keyword === '' ? {} : { keyword }) }, { signal, quiet: true })
      return found.map(({ id, name, kind, deleted, areaName }) => {
        const said = [labelOf(fenceKindLabels, kind), ...(areaName ? [areaName] : []), ...(deleted ? ['已删除'] : [])]
        return { value: id, label: `${name}（${said.join('，')}）` }
      })
    },
  })

export const wrongVersions = (opAreaId: string, subject: Subject, fenceId: string | undefined) =>
  queryOptions({
    queryKey: [VERSIONS_PATH, opAreaId, subject, fenceId ?? ''],
    queryFn: ({ signal }) => api.get(VERSIONS_PATH, { opAreaId, subject, ...(fenceId ? { fenceId } : {}) }, { signal, quiet: true }),
    enabled: opAreaId !== '' && (subject !== FENCE || Boolean(fenceId)),
  })

/** How a version is called. */
export function versionText(subject: Subject, version: number | null | undefined): string {
  if (version === null || version === undefined || version === NOT_THERE) return '不设围栏'
  return subject === BILLING && version === 0 ? '系统默认' : `第 ${version} 版`
}

/** `第 2 版 · 湖滨禁停区`, to choose from. */
export const choiceText = (subject: Subject, { version, note }: VersionChoice) => (note && !(subject === BILLING && version === 0) ? `${versionText(subject, version)} · ${note}` : versionText(subject, version))

/** When a version counted, cut to what one case can look at: its latest days up to `now_ms`. Nothing where it never did. */
export function countedUntil({ counted }: Pick<VersionChoice, 'counted'>, now_ms: number): [number, number] | null {
  const begun = counted.filter(([from]) => (from ?? 0) < now_ms)
  if (begun.length === 0) return null
  const until = Math.min(now_ms, Math.max(...begun.map(([, end]) => end ?? now_ms)))
  const from = Math.min(...begun.map(([start]) => start ?? 0))
  // Seconds are written, and the last one is part of it.
  return [Math.max(from, until - DAYS_MAX * DAY_MS + SECOND_MS), until]
}

type Wrong = Pick<Mispricing, 'subject' | 'name' | 'wrongVersion' | 'insteadVersion'>

/** `围栏版本“东门”第 2 版 → 不设围栏`. */
export function wrongText({ subject, name, wrongVersion, insteadVersion }: Wrong): string {
  return `${labelOf(mispricingSubjectLabels, subject)}${name ? `“${name}”` : ''} ${versionText(subject, wrongVersion)} → ${versionText(subject, insteadVersion)}`
}

/** How far its orders are settled: `已处理 120 / 300 单`; nothing before it was decided. */
export function progressText({ state, orders, givenOrders, overtakenOrders, failedOrders }: Mispricing): string {
  if (state !== REFUNDING && state !== 2) return ''
  const parts = [`${givenOrders + overtakenOrders + failedOrders} / ${orders}`]
  if (overtakenOrders > 0) parts.push(`已变化 ${overtakenOrders}`)
  if (failedOrders > 0) parts.push(`失败 ${failedOrders}`)
  return parts.join(' · ')
}

/** What giving all back does, in words. */
export function consequenceOf({ orders, riders, backCents, lowerCents }: Mispricing): string {
  return `共 ${orders} 个订单、${riders} 位用户：退还已付 ${formatMoney(backCents)} 元，减免未付 ${formatMoney(lowerCents)} 元。`
}

/** Why not all of them can be given back now; nothing when they can. */
export function unrefundable({ state, orders }: Pick<Mispricing, 'state' | 'orders'>): string | undefined {
  if (state !== FOUND) return `当前为“${labelOf(mispricingStateLabels, state)}”`
  return orders === 0 ? '没有需要退还的订单' : undefined
}

export const mispricingList: ListDescription<Mispricing> = {
  id: 'mispricing',
  title: '受影响订单',
  purpose: '围栏、边界或计费有误时，找出按错误版本计费的订单，按应当生效的版本逐单重算，一次复核后全部退还；少收的不追收。',
  path: MISPRICING_PATH,
  exported: true,
  table: 'mispricing',
  rowKey: (it) => it.id,
  emptyText: '还没有核对过。发现围栏、边界或计费有误时，从“核对受影响订单”开始：选择有误的版本和应当生效的版本，系统找出受影响的订单并重算。',
  tabs: { name: 'state', label: '处理状态', options: optionsOf(mispricingStateLabels) },
  filters: [
    { kind: 'text', name: 'keyword', label: '围栏', placeholder: '围栏名称' },
    { kind: 'select', name: 'subject', label: '核对对象', options: optionsOf(mispricingSubjectLabels) },
    { kind: 'area', agent: 'agentId', area: 'opAreaId', label: '服务区', choices: areaChoices(null) },
  ],
  columns: [
    { key: 'subject', title: '核对对象', width: 132, strong: true, text: (it) => labelOf(mispricingSubjectLabels, it.subject) },
    { key: 'name', title: '围栏', width: 160, text: (it) => it.name },
    { key: 'wrongVersion', title: '有误版本', width: 92, text: (it) => versionText(it.subject, it.wrongVersion) },
    { key: 'insteadVersion', title: '应当生效', width: 92, text: (it) => versionText(it.subject, it.insteadVersion) },
    { key: 'areaName', title: '服务区', width: 120, text: (it) => it.areaName },
    { kind: 'choice', key: 'state', title: '处理状态', value: (it) => mispricingState(it.state) },
    { kind: 'count', key: 'examined', title: '核对订单', value: (it) => it.examined },
    { kind: 'count', key: 'orders', title: '应退订单', value: (it) => it.orders },
    { kind: 'count', key: 'riders', title: '用户', value: (it) => it.riders },
    { kind: 'money', key: 'backCents', title: '应退（元）', value: (it) => it.backCents },
    { kind: 'money', key: 'lowerCents', title: '应减（元）', value: (it) => it.lowerCents },
    { kind: 'count', key: 'higherOrders', title: '少收订单', value: (it) => it.higherOrders },
    { key: 'progress', title: '进度', width: 168, unexported: true, text: progressText },
    { kind: 'money', key: 'givenCents', title: '已退（元）', value: (it) => it.givenCents },
    { kind: 'time', key: 'foundAt', title: '核对时间', value: (it) => it.foundAt },
    { key: 'finder', title: '核对人', width: 92, text: (it) => it.finder },
    { kind: 'money', key: 'loweredCents', title: '已减（元）', optional: true, value: (it) => it.loweredCents },
    { kind: 'money', key: 'higherCents', title: '少收（元）', optional: true, value: (it) => it.higherCents },
    { kind: 'time', key: 'endedAt', title: '完成时间', optional: true, value: (it) => it.endedAt },
    { key: 'reason', title: '原因', width: 200, optional: true, text: (it) => it.reason },
  ],
}

/** The orders of a case. */
export const mispricedOrders = (id: string): ListDescription<MispricedOrder> => ({
  id: 'mispriced-order',
  title: '受影响订单明细',
  purpose: '逐单列出计费时应付、按应当生效的版本重算的应付、应退或应减的金额，以及退还结果。',
  path: ORDERS_PATH,
  exported: true,
  fixed: { mispricingId: id },
  rowKey: (it) => it.orderId,
  emptyText: '在所选时间内没有订单因为这个版本而多收或少收。',
  tabs: { name: 'state', label: '退还结果', options: optionsOf(mispricedStateLabels) },
  filters: [{ kind: 'text', name: 'keyword', label: '订单号', placeholder: '完整订单号' }],
  columns: [
    { key: 'orderId', title: '订单号', width: 178, strong: true, text: (it) => it.orderId },
    { kind: 'phone', key: 'phone', title: '手机号', none: '已注销', value: (it) => it.phone },
    { key: 'carId', title: '车辆编号', width: 110, text: (it) => it.carId },
    { kind: 'time', key: 'endAt', title: '结束时间', value: (it) => it.endAt },
    { kind: 'money', key: 'pricedCents', title: '计费应付（元）', width: 124, value: (it) => it.pricedCents },
    { kind: 'money', key: 'shouldCents', title: '重算应付（元）', width: 124, value: (it) => it.shouldCents },
    { kind: 'money', key: 'backCents', title: '应退（元）', value: (it) => it.backCents },
    { kind: 'money', key: 'lowerCents', title: '应减（元）', value: (it) => it.lowerCents },
    { kind: 'choice', key: 'state', title: '结果', width: 140, value: (it) => mispricedState(it.state) },
    { key: 'note', title: '说明', width: 300, wraps: true, text: (it) => it.note },
    { kind: 'time', key: 'settledAt', title: '处理时间', none: '未处理', value: (it) => it.settledAt },
  ],
})

/** `2026-11-01 00:00:00 至 2026-11-24 10:00:00`. */
export const rangeText = ({ fromAt, untilAt }: Pick<Mispricing, 'fromAt' | 'untilAt'>) => `${formatTime(fromAt)} 至 ${formatTime(untilAt)}`

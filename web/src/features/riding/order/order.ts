import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import { endKindLabels, fareRuleLabels, payStateLabels, remindWayLabels, returnClassLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { labelOf, tagOf } from '@/kit/choice'
import { formatTime } from '@/kit/format'
import type { TagStyle } from '@/kit/StateTag'
import { stateStyle } from '@/kit/theme'

export const ORDER_PATH = '/order/list'
const INFO_PATH = '/order/{orderId}'
const TRACK_PATH = '/order/{orderId}/track'
const REPLAY_PATH = '/order/{orderId}/replay'

/** The first part of the keys of all that is asked of one order. */
const ORDER = 'order'
/** A reason has at most so many characters. */
export const REASON_MAX = 200

/** As the list shows it; phones and names are masked. */
export type Order = DataOf<typeof ORDER_PATH>['rows'][number]
/** With all that is known of it. */
export type OrderInfo = DataOf<typeof INFO_PATH>
export type Track = DataOf<typeof TRACK_PATH>
export type Replay = DataOf<typeof REPLAY_PATH>
export type Receipt = Replay['stored']
type State = Order['state']

/** What a change of an order makes stale. */
export const staleOf = (orderId: string) => [[ORDER_PATH], [ORDER, orderId], ['/platform/approval']] as const

const stateColors: Readonly<Record<State, string>> = {
  0: stateStyle[2].color,
  1: stateStyle[1].color,
  2: stateStyle[4].color,
  3: stateStyle[5].color,
  4: stateStyle[0].color,
  5: stateStyle[7].color,
  6: stateStyle[6].color,
}

/** The look of a state. */
export const orderState = (state: State): TagStyle => tagOf(state, payStateLabels, stateColors)

export const orderInfo = (orderId: string) =>
  queryOptions({ queryKey: [ORDER, orderId, 'info'], queryFn: ({ signal }) => api.get(INFO_PATH, {}, { path: { orderId }, signal }) })

/** Its way; that it was asked for stands in the log, so it is asked for once. */
export const orderTrack = (orderId: string) =>
  queryOptions({
    queryKey: [ORDER, 'track', orderId],
    queryFn: ({ signal }) => api.get(TRACK_PATH, {}, { path: { orderId }, signal }),
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    enabled: false,
  })

/** What is tried of a ride. */
export interface WhatIf {
  /** Epoch ms; null: as it was. */
  endTime: number | null
  left: Order['class'] | null
  withoutPenalty: boolean
}

export const NOTHING_TRIED: WhatIf = { endTime: null, left: null, withoutPenalty: false }

export const orderReplay = (orderId: string, { endTime, left, withoutPenalty }: WhatIf) =>
  queryOptions({
    queryKey: [ORDER, orderId, 'replay', endTime, left, withoutPenalty],
    queryFn: ({ signal }) =>
      api.get(
        REPLAY_PATH,
        { ...(endTime === null ? {} : { endTime }), ...(left === null || left === undefined ? {} : { left }), ...(withoutPenalty ? { withoutPenalty } : {}) },
        { path: { orderId }, signal },
      ),
  })

/** `1 小时 5 分`, `32 秒`. */
export function lastedText(seconds: number): string {
  if (seconds < 60) return `${seconds} 秒`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} 分 ${seconds % 60} 秒` : `${Math.floor(minutes / 60)} 小时 ${minutes % 60} 分`
}

/** `1.25 公里`, `850 米`. */
export function distanceText(metres: number): string {
  return metres < 1000 ? `${metres} 米` : `${(metres / 1000).toFixed(2)} 公里`
}

/** `用户还车 · 停车区内`; nothing of a ride that goes on. */
export function endText({ endKind, class: left }: Pick<Order, 'endKind' | 'class'>): string {
  const parts = [endKind === null || endKind === undefined ? '' : labelOf(endKindLabels, endKind), left === null || left === undefined ? '' : labelOf(returnClassLabels, left)]
  return parts.filter(Boolean).join(' · ')
}

/** `2 次 · 最近 2026-11-24 10:00:00（短信）`; nothing of one that nobody was reminded of. */
export function remindedText({ reminders, remindedAt, remindWay }: Pick<Order, 'reminders' | 'remindedAt' | 'remindWay'>): string {
  if (reminders === 0) return ''
  const way = remindWay === null || remindWay === undefined ? '' : `（${labelOf(remindWayLabels, remindWay)}）`
  return `${reminders} 次 · 最近 ${formatTime(remindedAt)}${way}`
}

/** What an order is known by. */
export const titleOf = ({ orderId }: Pick<Order, 'orderId'>) => `订单 ${orderId}`

const proofs: Readonly<Record<number, string>> = { 1: '蓝牙道钉', 2: '射频识别', 3: '定向停车', 4: '脚撑', 5: '摄像头' }
/** What the bike proved, in words. */
export const proofText = (proved: readonly number[]) => proved.map((one) => proofs[one] ?? String(one)).join('、')

const causes: Readonly<Record<string, string>> = {
  ride: '计费入账',
  'ride-paid': '用户支付',
  'ride-lowered': '改价',
  'ride-refund': '退款',
  'ride-written-off': '核销欠款',
  stayed: '转入钱包',
}
/** What an entry of the ledger was booked for. */
export const causeText = (what: string) => causes[what] ?? what

type Entry = OrderInfo['entries'][number]
const accounts: readonly (readonly [keyof Entry, string])[] = [
  ['receivableCents', '应收车费'],
  ['rechargeCents', '充值余额'],
  ['presentCents', '赠送余额'],
  ['channelCents', '支付通道'],
  ['refundDueCents', '待退款'],
  ['rideIncomeCents', '骑行收入'],
  ['penaltyIncomeCents', '调度费收入'],
  ['rideRefundCents', '骑行退款'],
  ['writeOffCents', '坏账核销'],
]

/** What an entry added to each account that it touched. */
export function movesOf(entry: Entry): { name: string; cents: number }[] {
  return accounts.map(([key, name]) => ({ name, cents: Number(entry[key]) })).filter(({ cents }) => cents !== 0)
}

/** How two receipts differ, rule by rule: what each asks for. */
export function compared(stored: Receipt, other: Receipt): { rule: string; stored: number; other: number }[] {
  const rules = [...new Set([...stored.lines, ...other.lines].map(({ rule }) => rule))]
  const sum = (receipt: Receipt, rule: number) => receipt.lines.filter((line) => line.rule === rule).reduce((cents, line) => cents + line.amountCents, 0)
  return rules.map((rule) => ({ rule: labelOf(fareRuleLabels, rule), stored: sum(stored, rule), other: sum(other, rule) }))
}

/** `2026-11-23 08:00:00` as people of the operation write it, epoch ms out; nothing when it is none. */
export function momentOf(written: string): number | null {
  const at = Date.parse(`${written.replace(' ', 'T')}+08:00`)
  return Number.isNaN(at) ? null : at
}

/** The same the other way. */
export const writtenOf = (at_ms: number) => formatTime(at_ms)

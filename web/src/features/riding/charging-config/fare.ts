/** What a made-up ride costs. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { BodyOf, DataOf } from '@/api/shapes'
import type { Billing } from './config'

const COMPUTE_PATH = '/order/cost/compute'
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SHANGHAI_MS = 8 * HOUR_MS

export type Cost = DataOf<typeof COMPUTE_PATH, 'post'>
type CostBody = BodyOf<typeof COMPUTE_PATH>
type Left = NonNullable<CostBody['left']>
type CardKind = NonNullable<CostBody['card']>['kind']

/** A ride that is tried, in the units that people say it in. */
export interface Tried {
  /** When on the day it begins, minutes since midnight. */
  startMin: number
  /** Minutes. */
  long: number
  km: number
  left: Left
  /** Metres to the nearest parking place, of one left outside. */
  parkingM: number
  helmetMissing: boolean
  /** 0: none. */
  card: CardKind | 0
  /** Minutes, kilometres or yuan, by the card. */
  cardValue: number
  /** Percent that the rider pays. */
  discount: number
}

export const USUAL_RIDE: Tried = { startMin: 8 * 60, long: 25, km: 3, left: 0, parkingM: 100, helmetMissing: false, card: 0, cardValue: 30, discount: 100 }

/** Rides that are asked about again and again. */
export const examples: readonly { label: string; ride: Partial<Tried> }[] = [
  { label: '开锁即还', ride: { long: 1, km: 0.03, left: 0 } },
  { label: '通勤 12 分钟', ride: { long: 12, km: 2, left: 0 } },
  { label: '半小时', ride: { long: 30, km: 5, left: 0 } },
  { label: '站点外', ride: { long: 15, km: 2.5, left: 1 } },
  { label: '跨午夜', ride: { startMin: 23 * 60 + 30, long: 60, km: 6, left: 0 } },
  { label: '忘还 30 小时', ride: { long: 30 * 60, km: 4, left: 0 } },
]

/** By which card: seconds of a minute, metres of a kilometre, cents of a yuan; a whole ride needs no value. */
export const cardUnits: Readonly<Record<number, { unit: string; of: number } | undefined>> = {
  1: { unit: '分钟', of: 60 },
  2: { unit: '公里', of: 1000 },
  3: { unit: '元', of: 100 },
}

/** The ride as it would be today. */
export function bodyOf(opAreaId: string, billing: Billing, ride: Tried, now_ms: number): CostBody {
  const today = Math.floor((now_ms + SHANGHAI_MS) / DAY_MS) * DAY_MS - SHANGHAI_MS
  const startTime = today + ride.startMin * MINUTE_MS
  const { card } = ride
  return {
    opAreaId,
    billing,
    startTime,
    endTime: startTime + Math.round(ride.long * MINUTE_MS),
    distance: Math.round(ride.km * 1000),
    left: ride.left,
    helmetMissing: ride.helmetMissing,
    ...(ride.left === 1 ? { parkingM: ride.parkingM } : {}),
    ...(card === 0 ? {} : { card: { kind: card, value: Math.round(ride.cardValue * (cardUnits[card]?.of ?? 0)) } }),
    ...(ride.discount === 100 ? {} : { discountPercent: ride.discount }),
  }
}

export const costOf = (body: CostBody) =>
  queryOptions({
    queryKey: [COMPUTE_PATH, body],
    queryFn: ({ signal }) => api.post(COMPUTE_PATH, body, { signal, quiet: true }),
    staleTime: 60_000,
  })

/** How much of what a line is about, by its rule: `2 个周期`; empty where the rule counts nothing. */
export function quantityOf(rule: number, quantity: number): string {
  switch (rule) {
    case 1:
      return `${quantity} 秒`
    case 2:
      return `含 ${Math.round(quantity / 6) / 10} 分钟`
    case 3:
      return `${quantity} 个周期`
    case 4:
      return `含 ${quantity / 1000} 公里`
    case 5:
      return `${quantity.toLocaleString('zh-CN')} 米`
    case 6:
      return `${quantity} 天`
    case 9:
      return `${quantity}%`
    case 20:
    case 21:
      return quantity > 0 ? `离站点 ${quantity.toLocaleString('zh-CN')} 米` : ''
    default:
      return ''
  }
}

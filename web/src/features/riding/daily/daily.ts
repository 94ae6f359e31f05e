import { queryOptions } from '@tanstack/react-query'
import { movementLabels } from '@/api/generated/labels'
import { api } from '@/api/client'
import type { DataOf } from '@/api/shapes'
import { labelOf } from '@/kit/choice'
import type { Filters, ListRows } from '@/kit/list/description'
import type { TagStyle } from '@/kit/StateTag'
import type { Scope } from '@/kit/statistics/statistics'
import { stateStyle } from '@/kit/theme'

export const DAILY_PATH = '/report/daily'
export const AREAS_PATH = '/report/daily/areas'
export const ENTRIES_PATH = '/report/daily/entries'

/** The page's own address. */
export const PAGE = '/report/financial-statistics'

export type DailyAnswer = DataOf<typeof DAILY_PATH>
export type Daily = DailyAnswer['rows'][number]
export type DailySums = DailyAnswer['totals']
export type DailyArea = DataOf<typeof AREAS_PATH>['rows'][number]
export type RevenueEntry = DataOf<typeof ENTRIES_PATH>['rows'][number]

/** The page's answer, which the list keeps as its rows. */
export const answerOf = (rows: ListRows<Daily>) => rows as ListRows<Daily> & DailyAnswer

export function scopeOf({ range, before, freshness }: DailyAnswer, areas: string): Scope {
  return { range, before, areas, reckonedAt: freshness.readAt, liveAt: null }
}

export const closing = (isClosed: boolean): TagStyle =>
  isClosed ? { label: '已结', color: stateStyle[0].color } : { label: '未结', color: stateStyle[4].color }

export const movementText = ({ movement }: RevenueEntry) => (movement === null ? '其他' : labelOf(movementLabels, movement))

/** What of a list's filters says whose money is meant. */
export const whoseOf = ({ agentId, opAreaIds }: Filters) => ({ agentId: agentId ?? null, opAreaIds: opAreaIds ?? null })

/** One day, whose money it is told of. */
export const dayInfo = (day: string, filters: Filters) =>
  queryOptions({
    queryKey: [DAILY_PATH, 'one', day, whoseOf(filters)],
    queryFn: async ({ signal }) => (await api.get(DAILY_PATH, { ...whoseOf(filters), startTime: day, endTime: day }, { signal })).rows[0] ?? null,
  })

/** The same day area by area. */
export const dayAreas = (day: string, filters: Filters) =>
  queryOptions({
    queryKey: [DAILY_PATH, 'areas', day, whoseOf(filters)],
    queryFn: ({ signal }) => api.get(AREAS_PATH, { ...whoseOf(filters), startTime: day, endTime: day }, { signal }),
  })

/** Where the entries of a day stand, narrowed to whose they are. */
export function entriesLink(day: string, { agentId, opAreaIds, withoutArea }: Filters): string {
  const params = new URLSearchParams({ view: 'entries', startTime: day, endTime: day })
  for (const [name, value] of Object.entries({ agentId, opAreaIds, withoutArea })) if (value) params.set(name, value)
  return `${PAGE}?${params}`
}

/** The same of one row of areas. */
export function areaEntriesLink(day: string, { opAreaId, agentId }: Pick<DailyArea, 'opAreaId' | 'agentId'>): string {
  return entriesLink(day, opAreaId === null ? { agentId, withoutArea: 'true' } : { opAreaIds: opAreaId })
}

export function areaText({ opAreaId, areaName, company }: Pick<DailyArea, 'opAreaId' | 'areaName' | 'company'>): string {
  if (opAreaId === null) return `不分服务区（${company ?? '钱包'}）`
  return areaName ?? '已删除的服务区'
}

/** A mean by bikes; none where no bike was on the streets. */
export const perBike = (value: number | null): string => (value === null ? '--' : value.toFixed(2))

/** A sum of a day and what it is made of: signs tell whether a part adds to it. */
export interface Account {
  title: string
  formula: string
  cents: number
  parts: readonly { title: string; cents: number }[]
}

/** How the sums of a day come about, to the cent. */
export function accountsOf(day: DailySums): readonly Account[] {
  const part = (title: string, cents: number) => ({ title, cents })
  return [
    {
      title: '应收 A',
      formula: formulas.due,
      cents: day.dueCents,
      parts: [part('计费', day.fareCents), part('当日下调', -day.loweredCents)],
    },
    {
      title: '新增实收 E',
      formula: formulas.paid,
      cents: day.paidCents,
      parts: [part('渠道支付', day.paidThirdCents), part('充值余额', day.paidRechargeCents), part('赠送余额', day.paidPresentCents)],
    },
    {
      title: '新增欠款 C',
      formula: formulas.owing,
      cents: day.owingCents,
      parts: [part('应收 A', day.dueCents), part('新增实收 E', -day.paidCents)],
    },
    {
      title: '历史欠款补缴 D',
      formula: formulas.arrears,
      cents: day.arrearsCents,
      parts: [part('渠道支付', day.arrearsThirdCents), part('充值余额', day.arrearsRechargeCents), part('赠送余额', day.arrearsPresentCents)],
    },
    {
      title: '总收益',
      formula: formulas.revenue,
      cents: day.revenueCents,
      parts: [
        part('订单渠道实收', day.paidThirdCents + day.arrearsThirdCents),
        part('充值', day.topUpCents),
        part('卡类销售', day.cardThirdCents),
        part('骑行退款', -day.rideRefundThirdCents),
        part('退卡', -day.cardRefundThirdCents),
        part('余额退款', -day.balanceBackCents),
        part('退款失败退回', day.refundFailedCents),
        part('其他', day.otherCents),
      ],
    },
  ]
}

export const formulas = {
  orders: '当日结束且已计费的订单，含免费与短时订单，不含取消的；按还车时间归日',
  due: '应收 A = 当日结束的骑行计费 − 当日对这些订单的下调；按还车时间归日',
  paid: '新增实收 E = 当日对当日应收订单的支付，含渠道、充值余额和赠送余额',
  owing: '新增欠款 C = 应收 A − 新增实收 E，以结账时为准；之后补缴的计入补缴日的 D',
  owingRate: '欠款率 = 新增欠款 C ÷ 应收 A',
  arrears: '历史欠款补缴 D = 当日对以前日期订单的支付',
  received: '实收总额 = 新增实收 E + 历史欠款补缴 D',
  revenue: '总收益 = 订单的渠道实收 + 充值 + 卡类销售（渠道）− 退款；押金与赠送不计入，用余额支付的在充值时已计入',
  refunds: '退款 = 原路退回的骑行退款、退卡与余额退款 − 退款失败退回的；按申请退款的时间归日，押金不计入',
  refundRate: '退款率 = 退款 ÷ 渠道收款（订单、充值、卡类）',
  each: '单均金额 = 应付合计 ÷ 订单数，不含不足 2 分钟的短时订单',
  eachMinutes: '单均时长 = 骑行时长合计 ÷ 订单数，不含不足 2 分钟的短时订单',
  eachKm: '单均里程 = 骑行里程合计 ÷ 订单数，不含不足 2 分钟的短时订单',
  bikes: '日均上架车辆 = 上架在路上的车辆按时间平均，当天的平均到现在为止',
  ordersPerBike: '车均单量（翻台）= 订单 ÷ 日均上架车辆，按天平均',
  duePerBike: '车均流水 = 应收 A ÷ 日均上架车辆，按天平均',
  relief: '优惠占比 = 使用免单、骑行卡或折扣的订单 ÷ 订单；一单有多种时按免单、骑行卡、折扣的顺序只算一次',
  gift: '赠送成本 = 当日赠送进钱包的金额，不是收入',
  late: '补记 = 业务时间所在的日已结账，计入入账时最早的未结日；每日在次日 02:00 结账，结账后不再变化',
} as const

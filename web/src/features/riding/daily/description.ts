import { movementLabels } from '@/api/generated/labels'
import { areaChoices } from '@/kit/areaChoices'
import { optionsOf } from '@/kit/choice'
import type { FilterOption, ListDescription } from '@/kit/list/description'
import type { Statistics } from '@/kit/statistics/statistics'
import { ramp, stateStyle } from '@/kit/theme'
import { closing, type Daily, type DailyAnswer, DAILY_PATH, ENTRIES_PATH, formulas, movementText, perBike, type RevenueEntry } from './daily'

/** Days of revenue; `areas` and `agents` fill the filters, and who may list no agents is asked for none. */
export function dailyList(areas: readonly FilterOption[], agents: readonly FilterOption[] | null): ListDescription<Daily> {
  return {
    id: 'daily-statistics',
    title: '每日统计',
    purpose: '每一天的应收、实收、欠款、退款与收益，是所有营收数字的唯一来源；次日 02:00 结账，之后不再变化，迟到的计入补记。',
    path: DAILY_PATH,
    exported: true,
    table: 'revenue_day',
    rowKey: (day) => day.day,
    emptyText: '这段时间没有统计',
    filters: [
      { kind: 'times', from: 'startTime', to: 'endTime', label: '日期', quick: ['today', 'yesterday', '7d', '30d'], usual: '7d' },
      ...(agents ? [{ kind: 'select' as const, name: 'agentId' as const, label: '代理', options: agents }] : []),
      { kind: 'several', name: 'opAreaIds', label: '服务区', options: areas },
    ],
    columns: [
      { key: 'day', title: '日期', width: 112, strong: true, sort: 'day', text: (day) => day.day },
      { kind: 'choice', key: 'isClosed', title: '结账', width: 80, value: (day) => closing(day.isClosed) },
      { kind: 'count', key: 'orders', title: '订单', sort: 'orders', value: (day) => day.orders },
      { kind: 'money', key: 'dueCents', title: '应收 A（元）', width: 124, sort: 'dueCents', value: (day) => day.dueCents },
      { kind: 'money', key: 'paidCents', title: '新增实收 E（元）', width: 132, value: (day) => day.paidCents },
      { kind: 'money', key: 'owingCents', title: '新增欠款 C（元）', width: 144, sort: 'owingCents', value: (day) => day.owingCents },
      { kind: 'percent', key: 'owingRate', title: '欠款率', value: (day) => day.owingRate },
      { kind: 'money', key: 'arrearsCents', title: '补缴 D（元）', width: 112, value: (day) => day.arrearsCents },
      { kind: 'money', key: 'receivedCents', title: '实收总额（元）', width: 136, sort: 'receivedCents', value: (day) => day.receivedCents },
      { kind: 'money', key: 'topUpCents', title: '充值（元）', width: 112, value: (day) => day.topUpCents },
      { kind: 'money', key: 'cardThirdCents', title: '卡类销售（元）', width: 116, value: (day) => day.cardThirdCents },
      { kind: 'money', key: 'refundsCents', title: '退款（元）', width: 116, sort: 'refundsCents', value: (day) => day.refundsCents },
      { kind: 'money', key: 'revenueCents', title: '总收益（元）', width: 128, sort: 'revenueCents', value: (day) => day.revenueCents },
      { kind: 'money', key: 'giftCents', title: '赠送成本（元）', width: 116, value: (day) => day.giftCents },
      { kind: 'count', key: 'lateEntries', title: '补记笔数', value: (day) => day.lateEntries },
      { kind: 'money', key: 'lateDueCents', title: '补记应收（元）', value: (day) => day.lateDueCents },
      { kind: 'money', key: 'lateRevenueCents', title: '补记收益（元）', optional: true, value: (day) => day.lateRevenueCents },
      { kind: 'count', key: 'shortOrders', title: '短时订单', optional: true, value: (day) => day.shortOrders },
      { key: 'ordersPerBike', title: '车均单量', width: 96, align: 'right', text: (day) => perBike(day.ordersPerBike) },
      { key: 'duePerBike', title: '车均流水（元）', width: 120, align: 'right', text: (day) => perBike(day.duePerBike) },
      { key: 'bikes', title: '日均上架车辆', width: 116, optional: true, align: 'right', text: (day) => perBike(day.bikes) },
      { kind: 'percent', key: 'refundRate', title: '退款率', optional: true, value: (day) => day.refundRate },
      { kind: 'percent', key: 'reliefRate', title: '优惠占比', optional: true, value: (day) => day.reliefRate },
      { kind: 'money', key: 'paidThirdCents', title: '实收·渠道（元）', width: 124, optional: true, value: (day) => day.paidThirdCents },
      { kind: 'money', key: 'paidRechargeCents', title: '实收·充值余额（元）', width: 148, optional: true, value: (day) => day.paidRechargeCents },
      { kind: 'money', key: 'paidPresentCents', title: '实收·赠送余额（元）', width: 148, optional: true, value: (day) => day.paidPresentCents },
      { kind: 'money', key: 'loweredPastCents', title: '跨日下调（元）', optional: true, value: (day) => day.loweredPastCents },
      { kind: 'money', key: 'writtenOffCents', title: '核销（元）', optional: true, value: (day) => day.writtenOffCents },
      { kind: 'money', key: 'rideRefundWalletCents', title: '骑行退款入钱包（元）', width: 156, optional: true, value: (day) => day.rideRefundWalletCents },
      { kind: 'money', key: 'cardRefundWalletCents', title: '退卡入钱包（元）', width: 132, optional: true, value: (day) => day.cardRefundWalletCents },
      { kind: 'money', key: 'adjustmentCents', title: '人工调整（元）', optional: true, value: (day) => day.adjustmentCents },
      { kind: 'money', key: 'depositPaidCents', title: '收取押金（元）', optional: true, value: (day) => day.depositPaidCents },
      { kind: 'money', key: 'depositBackCents', title: '退还押金（元）', optional: true, value: (day) => day.depositBackCents },
      { kind: 'count', key: 'freeOrders', title: '免单订单', optional: true, value: (day) => day.freeOrders },
      { kind: 'count', key: 'cardOrders', title: '骑行卡订单', width: 96, optional: true, value: (day) => day.cardOrders },
      { kind: 'count', key: 'discountOrders', title: '折扣订单', optional: true, value: (day) => day.discountOrders },
      { kind: 'count', key: 'plainOrders', title: '无优惠订单', width: 96, optional: true, value: (day) => day.plainOrders },
    ],
  }
}

const YES_NO = [
  { value: 'true', label: '是' },
  { value: 'false', label: '否' },
]

/** What the days are made of: each journal entry with the day that it belongs to. */
export const entryList: ListDescription<RevenueEntry> = {
  id: 'revenue-entry',
  title: '营收明细',
  purpose: '每日统计由这些分录逐笔相加而成：每一笔归入哪一天，给应收、实收、退款和总收益各加了多少。',
  path: ENTRIES_PATH,
  family: DAILY_PATH,
  exported: true,
  rowKey: (entry) => entry.id,
  emptyText: '还没有分录',
  filters: [
    { kind: 'times', from: 'startTime', to: 'endTime', label: '统计日', quick: ['today', 'yesterday', '7d', '30d'], usual: '7d' },
    { kind: 'area', agent: 'agentId', area: 'opAreaIds', label: '服务区', choices: areaChoices(null) },
    { kind: 'select', name: 'withoutArea', label: '不分服务区', options: [{ value: 'true', label: '仅不分服务区的' }] },
    { kind: 'select', name: 'movement', label: '变动类型', options: optionsOf(movementLabels) },
    { kind: 'select', name: 'late', label: '补记', options: YES_NO },
    { kind: 'select', name: 'ofEarlier', label: '历史订单', options: YES_NO },
  ],
  columns: [
    { key: 'day', title: '统计日', width: 104, strong: true, text: (entry) => entry.day },
    { key: 'movement', title: '变动类型', width: 124, text: movementText },
    { key: 'areaName', title: '服务区', width: 130, text: (entry) => (entry.opAreaId === null ? '不分服务区' : entry.areaName) },
    { key: 'orderId', title: '订单号', width: 178, text: (entry) => entry.orderId },
    { kind: 'money', key: 'movedCents', title: '金额（元）', width: 104, value: (entry) => entry.movedCents },
    { kind: 'money', key: 'dueCents', title: '应收（元）', width: 104, value: (entry) => entry.dueCents },
    { kind: 'money', key: 'receivedCents', title: '实收（元）', width: 104, value: (entry) => entry.receivedCents },
    { kind: 'money', key: 'refundCents', title: '退款（元）', width: 104, value: (entry) => entry.refundCents },
    { kind: 'money', key: 'revenueCents', title: '总收益（元）', width: 112, value: (entry) => entry.revenueCents },
    { key: 'isOfEarlier', title: '历史订单', width: 84, text: (entry) => (entry.isOfEarlier ? '是' : '否') },
    { key: 'isLate', title: '补记', width: 64, text: (entry) => (entry.isLate ? '是' : '否') },
    { kind: 'time', key: 'at', title: '业务时间', value: (entry) => entry.at },
    { kind: 'time', key: 'recordedAt', title: '入账时间', value: (entry) => entry.recordedAt },
    { key: 'userId', title: '用户编号', width: 178, optional: true, text: (entry) => entry.userId },
    { key: 'id', title: '分录号', width: 110, optional: true, text: (entry) => entry.id },
  ],
}

/** What daily statistics show above their rows. */
export const dailyStatistics: Statistics<DailyAnswer, Daily> = {
  cards: [
    { key: 'orders', title: '订单', unit: '单', formula: formulas.orders, figure: ({ summary }) => summary.orders },
    { key: 'due', title: '应收 A', unit: '元', formula: formulas.due, figure: ({ summary }) => summary.due },
    { key: 'received', title: '实收总额', unit: '元', formula: `${formulas.received}。${formulas.paid}。${formulas.arrears}`, figure: ({ summary }) => summary.received },
    { key: 'owing', title: '新增欠款 C', unit: '元', formula: formulas.owing, figure: ({ summary }) => summary.owing },
    { key: 'owingPercent', title: '欠款率', unit: '%', formula: formulas.owingRate, figure: ({ summary }) => summary.owingPercent },
    { key: 'revenue', title: '总收益', unit: '元', formula: formulas.revenue, figure: ({ summary }) => summary.revenue },
    { key: 'refunds', title: '退款', unit: '元', formula: formulas.refunds, figure: ({ summary }) => summary.refunds },
    { key: 'refundPercent', title: '退款率', unit: '%', formula: formulas.refundRate, figure: ({ summary }) => summary.refundPercent },
    { key: 'each', title: '单均金额', unit: '元', formula: formulas.each, figure: ({ summary }) => summary.each },
    { key: 'eachMinutes', title: '单均时长', unit: '分钟', formula: formulas.eachMinutes, figure: ({ summary }) => summary.eachMinutes },
    { key: 'eachKm', title: '单均里程', unit: '公里', formula: formulas.eachKm, figure: ({ summary }) => summary.eachKm },
    { key: 'ordersPerBike', title: '车均单量', unit: '单', formula: `${formulas.ordersPerBike}。${formulas.bikes}`, figure: ({ summary }) => summary.ordersPerBike },
    { key: 'duePerBike', title: '车均流水', unit: '元', formula: `${formulas.duePerBike}。${formulas.bikes}`, figure: ({ summary }) => summary.duePerBike },
    { key: 'gift', title: '赠送成本', unit: '元', formula: formulas.gift, figure: ({ summary }) => summary.gift },
  ],
  trend: {
    title: '趋势',
    points: ({ series }) => series,
    at: ({ at }) => at,
    byHour: () => false,
    lines: [
      { key: 'due', title: '应收 A', unit: '元', formula: formulas.due, value: ({ dueCents }) => dueCents / 100 },
      { key: 'received', title: '实收总额', unit: '元', formula: formulas.received, value: ({ receivedCents }) => receivedCents / 100 },
      { key: 'revenue', title: '总收益', unit: '元', formula: formulas.revenue, value: ({ revenueCents }) => revenueCents / 100 },
      { key: 'orders', title: '订单', unit: '单', formula: formulas.orders, value: ({ orders }) => orders },
    ],
  },
  rankings: [
    { key: 'due', title: '应收', unit: '元', formula: `${formulas.due}；最多的 10 个服务区`, rows: ({ rank }) => rank.due },
    { key: 'orders', title: '订单', unit: '单', formula: `${formulas.orders}；最多的 10 个服务区`, rows: ({ rank }) => rank.orders },
    { key: 'owing', title: '欠款', unit: '元', formula: `${formulas.owing}；最多的 10 个服务区`, rows: ({ rank }) => rank.owing },
  ],
  shares: [
    {
      key: 'relief',
      title: '优惠占比',
      unit: '单',
      formula: formulas.relief,
      parts: ({ totals }) => [
        { label: '免单', color: stateStyle[4].color, value: totals.freeOrders },
        { label: '骑行卡', color: ramp[5], value: totals.cardOrders },
        { label: '折扣', color: ramp[3], value: totals.discountOrders },
        { label: '无优惠', color: stateStyle[7].color, value: totals.plainOrders },
      ],
    },
    {
      key: 'receipts',
      title: '渠道收款',
      unit: '元',
      formula: '渠道收款 = 订单的渠道实收 + 充值 + 卡类销售（渠道），未减退款；押金不计入',
      parts: ({ totals }) => [
        { label: '订单', color: ramp[6], value: (totals.paidThirdCents + totals.arrearsThirdCents) / 100 },
        { label: '充值', color: ramp[4], value: totals.topUpCents / 100 },
        { label: '卡类销售', color: ramp[2], value: totals.cardThirdCents / 100 },
      ],
    },
  ],
}

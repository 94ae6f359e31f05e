import { endKindLabels, payStateLabels, returnClassLabels } from '@/api/generated/labels'
import { areaChoices } from '@/kit/areaChoices'
import { labelOf, optionsOf } from '@/kit/choice'
import type { ListDescription } from '@/kit/list/description'
import { distanceText, lastedText, type Order, ORDER_PATH, orderState } from './order'

const YES_NO = [
  { value: 'true', label: '是' },
  { value: 'false', label: '否' },
]

/** Ride orders. */
export const orderList: ListDescription<Order> = {
  id: 'user-order',
  title: '用户订单',
  purpose: '每一次用车：从预约、开锁到还车、付款；可以查看轨迹与费用依据，结束行程、改价、退款。',
  path: ORDER_PATH,
  exported: true,
  table: 'ride_order',
  rowKey: (order) => order.orderId,
  emptyText: '还没有订单',
  tabs: { name: 'state', label: '订单状态', options: optionsOf(payStateLabels) },
  filters: [
    { kind: 'text', name: 'keyword', label: '关键词', placeholder: '订单号、车辆编号或完整手机号' },
    { kind: 'area', agent: 'agentId', area: 'opAreaId', label: '服务区', choices: areaChoices(null) },
    { kind: 'times', from: 'startTime', to: 'endTime', label: '下单时间' },
    { kind: 'select', name: 'class', label: '还车位置', options: optionsOf(returnClassLabels) },
    { kind: 'select', name: 'endKind', label: '结束方式', options: optionsOf(endKindLabels) },
    { kind: 'money', from: 'minCents', to: 'maxCents', label: '应付金额' },
    { kind: 'select', name: 'modified', label: '是否改价', options: YES_NO },
    { kind: 'select', name: 'refunded', label: '是否退款', options: YES_NO },
  ],
  columns: [
    { key: 'orderId', title: '订单号', width: 178, strong: true, text: (order) => order.orderId },
    { kind: 'choice', key: 'state', title: '状态', width: 110, value: (order) => orderState(order.state) },
    { kind: 'phone', key: 'phone', title: '手机号', none: '已注销', value: (order) => order.phone },
    { key: 'carId', title: '车辆编号', width: 130, text: (order) => order.carId },
    { key: 'areaName', title: '服务区', width: 130, text: (order) => order.areaName },
    { kind: 'time', key: 'openedAt', title: '下单时间', sort: 'openedAt', value: (order) => order.openedAt },
    { key: 'ridingS', title: '骑行时长', width: 104, align: 'right', text: (order) => (order.endAt ? lastedText(order.ridingS) : '') },
    { key: 'distanceM', title: '里程', width: 92, align: 'right', text: (order) => (order.endAt ? distanceText(order.distanceM) : '') },
    { kind: 'money', key: 'payCents', title: '应付（元）', width: 104, sort: 'payCents', value: (order) => order.payCents },
    { kind: 'money', key: 'paidCents', title: '实付（元）', width: 100, value: (order) => order.paidCents },
    { kind: 'money', key: 'refundCents', title: '已退（元）', width: 100, value: (order) => order.refundCents },
    { key: 'class', title: '还车位置', width: 100, text: (order) => labelOf(returnClassLabels, order.class) },
    { key: 'endKind', title: '结束方式', width: 120, text: (order) => labelOf(endKindLabels, order.endKind) },
    { key: 'name', title: '姓名', width: 80, optional: true, text: (order) => order.name },
    { kind: 'time', key: 'startAt', title: '开始时间', optional: true, value: (order) => order.startAt },
    { kind: 'time', key: 'endAt', title: '结束时间', optional: true, value: (order) => order.endAt },
    { kind: 'money', key: 'originCents', title: '原价（元）', optional: true, value: (order) => order.originCents },
    { kind: 'money', key: 'cardCents', title: '卡抵扣（元）', optional: true, value: (order) => order.cardCents },
    { kind: 'money', key: 'discountCents', title: '优惠（元）', optional: true, value: (order) => order.discountCents },
    { kind: 'money', key: 'dispatchCents', title: '调度费（元）', optional: true, value: (order) => order.dispatchCents },
    { kind: 'money', key: 'helmetCents', title: '头盔费（元）', optional: true, value: (order) => order.helmetCents },
    { kind: 'money', key: 'writtenOffCents', title: '核销（元）', optional: true, value: (order) => order.writtenOffCents },
    { key: 'isModified', title: '是否改价', width: 84, optional: true, text: (order) => (order.isModified ? '是' : '否') },
    { kind: 'count', key: 'reminders', title: '催缴次数', width: 92, optional: true, value: (order) => order.reminders },
    { kind: 'time', key: 'remindedAt', title: '最近催缴', optional: true, value: (order) => order.remindedAt },
    { kind: 'time', key: 'paidAt', title: '支付时间', optional: true, value: (order) => order.paidAt },
    { key: 'userId', title: '用户编号', width: 178, optional: true, text: (order) => order.userId },
  ],
}

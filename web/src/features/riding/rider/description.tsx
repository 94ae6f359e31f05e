import { accountStateLabels, depositStateLabels, movementLabels, payStateLabels, qualificationLabels, registerChannelLabels } from '@/api/generated/labels'
import { areaChoices } from '@/kit/areaChoices'
import { labelOf, optionsOf } from '@/kit/choice'
import type { ListDescription } from '@/kit/list/description'
import { formatMoney } from '@/kit/format'
import {
  accountState,
  depositState,
  movementText,
  ORDER_PATH,
  orderState,
  qualificationsText,
  RECORDS_PATH,
  type Rider,
  RIDER_PATH,
  type RiderOrder,
  riderState,
  type WalletRecord,
} from './rider'

/** Riders. */
export const riderList: ListDescription<Rider> = {
  id: 'rider',
  title: '用户列表',
  purpose: '查找骑行用户，查看钱包、押金和订单；手机号、姓名和身份证号默认隐藏，查看会留下记录。',
  path: RIDER_PATH,
  exported: true,
  table: 'rider',
  rowKey: (rider) => rider.userId,
  emptyText: '还没有用户注册',
  tabs: { name: 'accountState', label: '账户状态', options: optionsOf(accountStateLabels).filter(({ value }) => value !== '3') },
  filters: [
    { kind: 'text', name: 'keyword', label: '关键词', placeholder: '完整手机号或用户编号' },
    {
      kind: 'select',
      name: 'isVerified',
      label: '实名',
      options: [
        { value: 'true', label: '已实名' },
        { value: 'false', label: '未实名' },
      ],
    },
    { kind: 'select', name: 'qualification', label: '骑行资格', options: optionsOf(qualificationLabels).filter(({ value }) => value !== '0') },
    { kind: 'select', name: 'depositState', label: '押金', options: optionsOf(depositStateLabels) },
    { kind: 'area', agent: 'agentId', area: 'opAreaId', label: '服务区', choices: areaChoices(null) },
    { kind: 'times', from: 'startTime', to: 'endTime', label: '注册时间' },
  ],
  columns: [
    { kind: 'phone', key: 'phoneMasked', title: '手机号', none: '已注销', value: (rider) => rider.phoneMasked },
    { key: 'nameMasked', title: '姓名', width: 84, strong: true, text: (rider) => rider.nameMasked || '未实名' },
    { kind: 'choice', key: 'userState', title: '用户状态', value: (rider) => riderState(rider.userState) },
    { kind: 'choice', key: 'accountState', title: '账户状态', width: 92, value: (rider) => accountState(rider.accountState) },
    { key: 'qualifications', title: '骑行资格', width: 130, text: (rider) => qualificationsText(rider.qualifications) },
    { kind: 'money', key: 'balanceCents', title: '钱包余额', value: (rider) => (rider.rechargeCents ?? 0) + (rider.presentCents ?? 0) },
    { kind: 'money', key: 'owedCents', title: '欠款', width: 96, value: (rider) => rider.owedCents ?? 0 },
    { kind: 'choice', key: 'depositState', title: '押金', value: (rider) => depositState(rider.depositState) },
    { kind: 'count', key: 'totalOrders', title: '订单数', value: (rider) => rider.totalOrders ?? 0 },
    { kind: 'time', key: 'lastOrderAt', title: '最近骑行', none: '从未骑行', value: (rider) => rider.lastOrderAt },
    { key: 'areaName', title: '服务区', width: 140, text: (rider) => rider.areaName },
    { kind: 'time', key: 'createdAt', title: '注册时间', value: (rider) => rider.createdAt },
    { kind: 'money', key: 'totalPaidCents', title: '累计消费', optional: true, value: (rider) => rider.totalPaidCents ?? 0 },
    { key: 'channel', title: '注册渠道', width: 110, optional: true, text: (rider) => labelOf(registerChannelLabels, rider.channel) },
    { kind: 'time', key: 'verifiedAt', title: '实名时间', optional: true, value: (rider) => rider.verifiedAt },
    { key: 'userId', title: '用户编号', width: 170, optional: true, text: (rider) => rider.userId },
  ],
}

/** The orders of one rider. */
export const ordersOf = (userId: string): ListDescription<RiderOrder> => ({
  id: 'rider-order',
  title: '订单',
  purpose: '这位用户的骑行订单，最近的在前。',
  path: ORDER_PATH,
  fixed: { userId },
  exported: true,
  table: 'ride_order',
  rowKey: (order) => order.orderId,
  emptyText: '还没有订单',
  filters: [
    { kind: 'select', name: 'state', label: '订单状态', options: optionsOf(payStateLabels) },
    { kind: 'times', from: 'startTime', to: 'endTime', label: '下单时间' },
  ],
  columns: [
    {
      key: 'orderId',
      title: '订单号',
      width: 180,
      strong: true,
      text: (order) => order.orderId,
      render: (order) => (
        <a className="figure" href={`#/user-order-detail?orderId=${order.orderId}`}>
          {order.orderId}
        </a>
      ),
    },
    { key: 'carId', title: '车辆编号', width: 130, text: (order) => order.carId },
    { kind: 'choice', key: 'state', title: '订单状态', width: 110, value: (order) => orderState(order.state) },
    { kind: 'time', key: 'startAt', title: '开始时间', value: (order) => order.startAt },
    { kind: 'time', key: 'endAt', title: '结束时间', value: (order) => order.endAt },
    { kind: 'money', key: 'payCents', title: '应付', value: (order) => order.payCents },
    { kind: 'money', key: 'paidCents', title: '实付', value: (order) => order.paidCents },
    { kind: 'money', key: 'refundCents', title: '已退', value: (order) => order.refundCents },
    { key: 'areaName', title: '服务区', width: 140, text: (order) => order.areaName },
  ],
})

const signed = (cents: number) => (cents > 0 ? `+${formatMoney(cents)}` : cents === 0 ? '' : formatMoney(cents))

/** The entries of one rider's wallet. */
export const recordsOf = (userId: string): ListDescription<WalletRecord> => ({
  id: 'wallet-record',
  title: '钱包流水',
  purpose: '每一笔入账都记录变动和变动后的余额，只增不改。',
  path: RECORDS_PATH,
  family: '/user/wallet',
  fixed: { userId },
  exported: true,
  table: 'ledger_entry',
  rowKey: (record) => record.id,
  emptyText: '钱包还没有变动',
  filters: [
    { kind: 'select', name: 'movement', label: '变动类型', options: optionsOf(movementLabels) },
    { kind: 'times', from: 'startTime', to: 'endTime', label: '入账时间' },
  ],
  columns: [
    { kind: 'time', key: 'recordedAt', title: '入账时间', value: (record) => record.recordedAt },
    { key: 'movement', title: '变动类型', width: 130, strong: true, text: movementText },
    { key: 'rechargeCents', title: '充值余额', width: 104, align: 'right', text: (record) => signed(record.rechargeCents) },
    { key: 'presentCents', title: '赠送余额', width: 104, align: 'right', text: (record) => signed(record.presentCents) },
    { kind: 'money', key: 'balanceAfterCents', title: '变动后余额', value: (record) => record.balanceAfterCents },
    { key: 'depositCents', title: '押金', width: 96, align: 'right', text: (record) => signed(record.depositCents) },
    { key: 'refundDueCents', title: '待退款', width: 96, align: 'right', text: (record) => signed(record.refundDueCents) },
    { key: 'owedCents', title: '欠款', width: 96, align: 'right', text: (record) => signed(record.owedCents) },
    { kind: 'money', key: 'owedAfterCents', title: '变动后欠款', value: (record) => record.owedAfterCents },
    { key: 'orderId', title: '订单号', width: 180, text: (record) => record.orderId },
    { key: 'areaName', title: '服务区', width: 130, text: (record) => record.areaName },
    { kind: 'time', key: 'at', title: '业务时间', optional: true, value: (record) => record.at },
    { key: 'cause', title: '业务编号', width: 240, optional: true, text: (record) => record.cause },
  ],
})

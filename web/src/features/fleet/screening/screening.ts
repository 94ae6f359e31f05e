import { alarmStateLabels, lifecycleLabels, operationStateLabels, ridingStateLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { areaChoices } from '@/kit/areaChoices'
import { labelOf, optionsOf } from '@/kit/choice'
import { formatTime, spanText } from '@/kit/format'
import type { FilterOption, ListDescription } from '@/kit/list/description'
import { page, stateStyle } from '@/kit/theme'

export const SCREENING = '/vehicle/screening'

export type Screened = DataOf<typeof SCREENING>['rows'][number]

/** `11-25 21:40，2 天 3 小时`. */
export function idleSinceText(since: number | null | undefined, now: number): string {
  return typeof since === 'number' ? `${formatTime(since).slice(5, 16)}，${spanText(now - since)}` : ''
}

const words = (labels: Readonly<Record<number, string>>, codes: readonly number[]): string => codes.map((code) => labelOf(labels, code)).join('、')

const yesNo = (yes: string, no: string) => [
  { value: 'true', label: yes },
  { value: 'false', label: no },
]

/** Bikes by what they are now; `schemes` are the voltage schemes to choose from. */
export const screeningOf = (schemes: readonly FilterOption[]): ListDescription<Screened> => ({
  id: 'vehicle-screening',
  title: '车辆筛选',
  purpose: '按当前状态、电量、闲置时长、报警、标签和电压方案筛出车辆，批量上下架、打标签、下发指令；常用条件可以保存。',
  path: SCREENING,
  exported: true,
  table: 'vehicle',
  rowKey: (bike) => bike.carId,
  emptyText: '没有符合条件的车辆',
  filters: [
    { kind: 'text', name: 'keyword', label: '车辆', placeholder: '车辆编号开头，或 15 位 IMEI' },
    { kind: 'area', agent: 'agentId', area: 'opAreaId', label: '服务区', choices: areaChoices(null) },
    { kind: 'several', name: 'lifecycle', label: '生命周期', options: optionsOf(lifecycleLabels) },
    { kind: 'several', name: 'ridingState', label: '骑行状态', options: optionsOf(ridingStateLabels) },
    { kind: 'several', name: 'operationState', label: '运维状态', options: optionsOf(operationStateLabels) },
    { kind: 'several', name: 'alarmState', label: '告警', options: optionsOf(alarmStateLabels) },
    { kind: 'numbers', from: 'socMin', to: 'socMax', label: '电量', unit: '%' },
    { kind: 'numbers', from: 'idleMinHours', to: 'idleMaxHours', label: '闲置', unit: '小时' },
    { kind: 'select', name: 'likelyLost', label: '疑似丢失', options: yesNo('疑似丢失', '不是') },
    { kind: 'select', name: 'online', label: '在线', options: yesNo('在线', '离线') },
    { kind: 'select', name: 'hasDevice', label: '中控', options: yesNo('已绑定', '未绑定') },
    { kind: 'text', name: 'tags', label: '标签', placeholder: '多个用逗号隔开' },
    { kind: 'several', name: 'voltageScheme', label: '电压方案', options: schemes },
    { kind: 'text', name: 'model', label: '型号', placeholder: '完整型号，如 WH-EC20' },
    { kind: 'text', name: 'firmware', label: '固件', placeholder: '完整版本，如 1.2.0' },
    { kind: 'times', from: 'startTime', to: 'endTime', label: '上次订单结束' },
  ],
  columns: [
    { key: 'carId', title: '车辆编号', width: 140, strong: true, text: (bike) => bike.carId },
    {
      kind: 'choice',
      key: 'state',
      title: '状态',
      width: 110,
      optional: true,
      unexported: true,
      value: ({ state }) => (typeof state === 'number' && stateStyle[state]) || { label: '未上报', color: page.weakText },
    },
    { key: 'areaName', title: '服务区', width: 130, text: (bike) => bike.areaName },
    { key: 'lifecycle', title: '生命周期', width: 92, text: (bike) => labelOf(lifecycleLabels, bike.lifecycle) },
    { key: 'ridingState', title: '骑行状态', width: 92, text: (bike) => labelOf(ridingStateLabels, bike.ridingState) },
    { key: 'operationStates', title: '运维状态', width: 110, text: (bike) => words(operationStateLabels, bike.operationStates) },
    { key: 'alarmStates', title: '告警', width: 130, text: (bike) => words(alarmStateLabels, bike.alarmStates) },
    { key: 'soc', title: '电量', width: 84, align: 'right', sort: 'soc', text: ({ soc }) => (typeof soc === 'number' ? `${soc}%` : '') },
    { key: 'online', title: '在线', width: 64, text: (bike) => (bike.online ? '在线' : '离线') },
    { key: 'idleSince', title: '闲置开始', width: 190, sort: 'idle', text: (bike) => idleSinceText(bike.idleSince, Date.now()) },
    { kind: 'time', key: 'lastRideEnd', title: '上次订单结束', value: (bike) => bike.lastRideEnd },
    { key: 'tags', title: '标签', width: 130, text: (bike) => bike.tags.join('、') },
    { key: 'voltageSchemeName', title: '电压方案', width: 130, text: (bike) => bike.voltageSchemeName },
    { key: 'gsm', title: '信号', width: 72, optional: true, align: 'right', sort: 'gsm', text: ({ gsm }) => (typeof gsm === 'number' ? `${gsm}` : '') },
    { kind: 'time', key: 'gpsAt', title: '定位时间', optional: true, value: (bike) => bike.gpsAt },
    { kind: 'time', key: 'reportAt', title: '上报时间', sort: 'reportAt', value: (bike) => bike.reportAt },
    { key: 'imei', title: 'IMEI', width: 150, optional: true, text: (bike) => bike.imei },
    { key: 'model', title: '型号', width: 100, optional: true, text: (bike) => bike.model },
    { key: 'firmware', title: '固件', width: 90, optional: true, text: (bike) => bike.firmware },
    { key: 'plateNo', title: '号牌', width: 100, optional: true, text: (bike) => bike.plateNo },
    { key: 'lat', title: '纬度', width: 100, optional: true, align: 'right', text: (bike) => bike.lat?.toFixed(6) },
    { key: 'lng', title: '经度', width: 108, optional: true, align: 'right', text: (bike) => bike.lng?.toFixed(6) },
  ],
})

import { alarmStateLabels, lifecycleLabels, operationStateLabels, ridingStateLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { labelOf, optionsOf } from '@/kit/choice'
import type { FilterOption, ListDescription } from '@/kit/list/description'
import { page, stateStyle } from '@/kit/theme'

export const VEHICLES = '/vehicle/query'

export type VehicleListed = DataOf<typeof VEHICLES>['rows'][number]

const words = (labels: Readonly<Record<number, string>>, codes: readonly number[]): string => codes.map((code) => labelOf(labels, code)).join('、')

/** Bikes by number, as the log knows them and as they last reported; `schemes` are the voltage schemes to choose from. */
export const vehicleListOf = (schemes: readonly FilterOption[]): ListDescription<VehicleListed> => ({
  id: 'vehicle',
  title: '车辆查询',
  purpose: '按车辆编号或 IMEI 查找车辆，看它的状态、最近位置和电量；点击打开车辆详情。',
  path: VEHICLES,
  table: 'vehicle',
  rowKey: (bike) => bike.carId,
  emptyText: '没有车辆',
  filters: [
    { kind: 'text', name: 'keyword', label: '车辆', placeholder: '车辆编号开头，或 15 位 IMEI' },
    { kind: 'select', name: 'status', label: '生命周期', options: optionsOf(lifecycleLabels) },
    { kind: 'several', name: 'voltageScheme', label: '电压方案', options: schemes },
  ],
  columns: [
    { key: 'carId', title: '车辆编号', width: 140, strong: true, text: (bike) => bike.carId },
    {
      kind: 'choice',
      key: 'state',
      title: '状态',
      width: 110,
      value: ({ state }) => (typeof state === 'number' && stateStyle[state]) || { label: '未上报', color: page.weakText },
    },
    { key: 'areaName', title: '服务区', width: 130, text: (bike) => bike.areaName },
    { key: 'soc', title: '电量', width: 72, align: 'right', text: ({ soc }) => (typeof soc === 'number' ? `${soc}%` : '') },
    { key: 'ridingState', title: '骑行状态', width: 92, text: (bike) => labelOf(ridingStateLabels, bike.ridingState) },
    { key: 'operationStates', title: '运维状态', width: 110, text: (bike) => words(operationStateLabels, bike.operationStates) },
    { key: 'alarmStates', title: '告警', width: 130, text: (bike) => words(alarmStateLabels, bike.alarmStates) },
    { key: 'online', title: '在线', width: 64, text: (bike) => (bike.online ? '在线' : '离线') },
    { kind: 'time', key: 'gpsAt', title: '定位时间', value: (bike) => bike.gpsAt },
    { kind: 'time', key: 'reportAt', title: '上报时间', value: (bike) => bike.reportAt },
    { key: 'lifecycle', title: '生命周期', width: 92, text: (bike) => labelOf(lifecycleLabels, bike.lifecycle) },
    { key: 'voltageSchemeName', title: '电压方案', width: 130, text: (bike) => bike.voltageSchemeName },
    { key: 'imei', title: 'IMEI', width: 150, text: (bike) => bike.imei },
    { key: 'plateNo', title: '号牌', width: 100, optional: true, text: (bike) => bike.plateNo },
    { key: 'lat', title: '纬度', width: 100, optional: true, align: 'right', text: (bike) => bike.lat?.toFixed(6) },
    { key: 'lng', title: '经度', width: 108, optional: true, align: 'right', text: (bike) => bike.lng?.toFixed(6) },
    { kind: 'time', key: 'createdAt', title: '登记时间', optional: true, value: (bike) => bike.createdAt },
  ],
})

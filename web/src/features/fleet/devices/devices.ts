import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import { lifecycleLabels, ridingStateLabels, signalLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { areaChoices } from '@/kit/areaChoices'
import { labelOf, optionsOf } from '@/kit/choice'
import type { Filters, ListDescription } from '@/kit/list/description'
import { ink, stateStyle } from '@/kit/theme'

export const DEVICES = '/vehicle/device'

export type DeviceRow = DataOf<typeof DEVICES>['rows'][number]
export type DeviceSummary = DataOf<'/vehicle/device/summary'>
export type Pulse = DataOf<'/vehicle/device/{carId}/curve'>['points'][number]

/** All together, cut down as the list is. */
export const summaryOf = (filters: Filters) =>
  queryOptions({
    queryKey: [DEVICES, 'summary', filters],
    queryFn: ({ signal }) => api.get('/vehicle/device/summary', filters, { signal, quiet: true }),
    refetchInterval: 15_000,
  })

/** How much of each of the last hours devices were on line, of the agent and the area that the list is cut down to. */
export const onlineOf = ({ agentId, opAreaId }: Filters, hours: number) =>
  queryOptions({
    queryKey: [DEVICES, 'online', agentId, opAreaId, hours],
    queryFn: ({ signal }) => api.get('/vehicle/device/online', { hours, agentId, opAreaId }, { signal, quiet: true }),
    refetchInterval: 60_000,
  })

export const curveOf = (carId: string, minutes: number) =>
  queryOptions({
    queryKey: [DEVICES, 'curve', carId, minutes],
    queryFn: ({ signal }) => api.get('/vehicle/device/{carId}/curve', { minutes }, { path: { carId }, signal, quiet: true }),
    refetchInterval: 60_000,
  })

export interface Share {
  key: string
  label: string
  count: number
  color: string
}

/** On line, off line, and those that never said anything. */
export const contactShares = ({ total, online, never }: Pick<DeviceSummary, 'total' | 'online' | 'never'>): Share[] => [
  { key: 'online', label: '在线', count: online, color: stateStyle[0].color },
  { key: 'offline', label: '离线', count: total - online - never, color: stateStyle[7].color },
  { key: 'never', label: '从未上报', count: never, color: ink.warning },
]

const signalColors: Readonly<Record<DeviceSummary['signals'][number]['signal'], string>> = {
  1: stateStyle[0].color,
  2: stateStyle[1].color,
  3: ink.danger,
  4: stateStyle[7].color,
}

export const signalShares = ({ signals }: Pick<DeviceSummary, 'signals'>): Share[] =>
  signals.map(({ signal, count }) => ({ key: `${signal}`, label: labelOf(signalLabels, signal), count, color: signalColors[signal] }))

/** Versions that the spread draws; the rest is one share. */
const VERSIONS_SHOWN = 6
const versionColors = [stateStyle[0].color, stateStyle[1].color, stateStyle[2].color, stateStyle[3].color, stateStyle[4].color, stateStyle[6].color]

export interface VersionShare extends Share {
  /** What the list is cut down to by a click; null: these are several versions. */
  filter: Filters | null
}

/** What runs on devices, the most frequent first. */
export function versionShares({ versions, otherVersions, untold }: Pick<DeviceSummary, 'versions' | 'otherVersions' | 'untold'>): VersionShare[] {
  const shown = versions.slice(0, VERSIONS_SHOWN).map(({ model, firmware, count }, index) => ({
    key: `${model} ${firmware}`,
    label: `${model} ${firmware}`,
    count,
    color: versionColors[index]!,
    filter: { model, firmware },
  }))
  const rest = versions.slice(VERSIONS_SHOWN).reduce((sum, { count }) => sum + count, otherVersions)
  return [
    ...shown,
    ...(rest > 0 ? [{ key: 'rest', label: '其他版本', count: rest, color: ink.warning, filter: null }] : []),
    ...(untold > 0 ? [{ key: 'untold', label: '未上报', count: untold, color: stateStyle[7].color, filter: { introduced: 'false' } }] : []),
  ]
}

/** Whole percent of `total`; none of nothing. */
export const percentOf = (count: number, total: number): number => (total === 0 ? 0 : Math.round((count / total) * 100))

export interface CurvePath {
  line: string
  from: number
  to: number
  least: number
  most: number
}

const WIDTH = 432
const HEIGHT = 72

/** The path of what was told of `valueOf`, in a picture of 432 by 72; null where too little was told. */
export function curvePath<Point extends { at: number }>(points: readonly Point[], valueOf: (point: Point) => number | null | undefined): CurvePath | null {
  const told = points.flatMap((point) => {
    const value = valueOf(point)
    return typeof value === 'number' ? [{ at: point.at, value }] : []
  })
  const [first, last] = [told[0], told.at(-1)]
  if (!first || !last || first.at === last.at) return null
  const values = told.map(({ value }) => value)
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const x = (at: number) => ((at - first.at) / (last.at - first.at)) * WIDTH
  const y = (value: number) => 4 + (1 - (most === least ? 0.5 : (value - least) / (most - least))) * (HEIGHT - 8)
  return { line: `M${told.map(({ at, value }) => `${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join('L')}`, from: first.at, to: last.at, least, most }
}

/** Devices on bikes, as they are now. */
export const deviceList: ListDescription<DeviceRow> = {
  id: 'device-monitor',
  title: '设备监控',
  purpose: '车上中控的在线、信号、电压和固件：哪些失联，哪些信号弱，哪些版本旧；逐台看曲线，批量寻车、重启或升级固件。',
  path: DEVICES,
  table: 'vehicle',
  rowKey: (row) => row.carId,
  emptyText: '没有符合条件的设备',
  filters: [
    { kind: 'text', name: 'keyword', label: '设备', placeholder: '15 位 IMEI，或车辆编号开头' },
    { kind: 'area', agent: 'agentId', area: 'opAreaId', label: '服务区', choices: areaChoices(null) },
    {
      kind: 'select',
      name: 'online',
      label: '在线',
      options: [
        { value: 'true', label: '在线' },
        { value: 'false', label: '离线' },
      ],
    },
    { kind: 'several', name: 'signal', label: '信号', options: optionsOf(signalLabels) },
    { kind: 'several', name: 'lifecycle', label: '生命周期', options: optionsOf(lifecycleLabels) },
    { kind: 'text', name: 'model', label: '型号', placeholder: '完整型号' },
    { kind: 'text', name: 'firmware', label: '固件', placeholder: '完整版本，如 1.2.0' },
    {
      kind: 'select',
      name: 'introduced',
      label: '固件上报',
      options: [
        { value: 'true', label: '已上报' },
        { value: 'false', label: '未上报' },
      ],
    },
  ],
  columns: [
    { key: 'imei', title: 'IMEI', width: 160, strong: true, text: (row) => row.imei },
    { key: 'carId', title: '车辆编号', width: 130, text: (row) => row.carId },
    { key: 'areaName', title: '服务区', width: 130, text: (row) => row.areaName },
    {
      kind: 'choice',
      key: 'online',
      title: '在线',
      width: 100,
      value: ({ online, reportAt }) =>
        online
          ? { label: '在线', color: stateStyle[0].color }
          : typeof reportAt === 'number'
            ? { label: '离线', color: stateStyle[7].color }
            : { label: '从未上报', color: ink.warning },
    },
    { key: 'model', title: '型号', width: 100, text: (row) => row.model },
    { key: 'firmware', title: '固件', width: 90, text: (row) => row.firmware },
    { key: 'gsm', title: '信号', width: 80, align: 'right', sort: 'gsm', text: ({ gsm }) => (typeof gsm === 'number' ? `${gsm} / 31` : '') },
    { key: 'soc', title: '电量', width: 80, align: 'right', sort: 'soc', text: ({ soc }) => (typeof soc === 'number' ? `${soc}%` : '') },
    { kind: 'time', key: 'reportAt', title: '最近上报', sort: 'reportAt', value: (row) => row.reportAt },
    { kind: 'time', key: 'gpsAt', title: '最近定位', value: (row) => row.gpsAt },
    { key: 'ridingState', title: '骑行状态', width: 92, text: (row) => labelOf(ridingStateLabels, row.ridingState) },
    { key: 'lifecycle', title: '生命周期', width: 92, text: (row) => labelOf(lifecycleLabels, row.lifecycle) },
  ],
}

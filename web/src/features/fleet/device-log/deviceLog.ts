import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import { channelLabels, commandStateLabels, deviceFlagLabels, talkKindLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { labelOf, optionsOf } from '@/kit/choice'
import { formatTime } from '@/kit/format'
import type { ListDescription } from '@/kit/list/description'
import type { TagStyle } from '@/kit/StateTag'
import { stateStyle } from '@/kit/theme'

export const DEVICE_LOG_PATH = '/log/device'
const INFO_PATH = '/log/device/{id}'

/** A line of a device's log. */
export type DeviceTalk = DataOf<typeof DEVICE_LOG_PATH>['rows'][number]
export type CommandTalk = NonNullable<DeviceTalk['command']>
export type ReportTalk = NonNullable<DeviceTalk['report']>

/** Told, gone or back, placed, and what is no fix. */
const kindColors: Readonly<Record<DeviceTalk['kind'], string>> = {
  1: stateStyle[0].color,
  2: stateStyle[7].color,
  3: stateStyle[1].color,
  4: stateStyle[3].color,
}

export const talkTag = ({ kind }: Pick<DeviceTalk, 'kind'>): TagStyle => ({
  label: labelOf(talkKindLabels, kind),
  color: kindColors[kind] ?? stateStyle[7].color,
})

/** How far a command got; an answer behind its time says so. */
export function stateText(command: Pick<CommandTalk, 'state' | 'late'> | null | undefined): string {
  if (!command) return ''
  return labelOf(commandStateLabels, command.state) + (command.late ? '（迟到）' : '')
}

/** `1.25 秒`, from when it was asked for until it was answered; nothing without an answer. */
export function answeredText({ requestedAt, ackAt }: Pick<CommandTalk, 'requestedAt' | 'ackAt'>): string {
  return typeof ackAt === 'number' ? `${((ackAt - requestedAt) / 1000).toFixed(2)} 秒` : ''
}

/** What a report says is so, in words. */
export function flagsText({ flags }: Pick<ReportTalk, 'flags'>): string {
  return flags.map((flag) => labelOf(deviceFlagLabels, flag)).join('、')
}

const dayOf = (at: number) => formatTime(at).slice(0, 10)

/** What happened to the bike on that day. */
export function lifeAddress({ carId, at }: Pick<DeviceTalk, 'carId' | 'at'>): string {
  return `/operation/vehicle-log?${new URLSearchParams({ carId, startTime: dayOf(at), endTime: dayOf(at) })}`
}

export const deviceTalk = (id: string) =>
  queryOptions({
    queryKey: [DEVICE_LOG_PATH, 'one', id],
    queryFn: ({ signal }) => api.get(INFO_PATH, {}, { path: { id }, signal }),
  })

/** What devices were told, answered and reported. */
export const deviceLog: ListDescription<DeviceTalk> = {
  id: 'device-log',
  title: '设备日志',
  purpose: '一台中控收到过什么指令、怎样应答，什么时候上线和离线，以及定位、电量和状态上报，按时间合在一起；上报保留 31 天。',
  path: DEVICE_LOG_PATH,
  exported: true,
  rowKey: (row) => row.id,
  emptyText: '还没有选择车辆：请在“车辆”里输入车辆编号或 15 位 IMEI',
  filters: [
    { kind: 'text', name: 'carId', label: '车辆', placeholder: '车辆编号或 15 位 IMEI' },
    { kind: 'times', from: 'startTime', to: 'endTime', label: '时间', quick: ['today', 'yesterday', '7d', '30d'], usual: '7d' },
    { kind: 'several', name: 'kinds', label: '日志类型', options: optionsOf(talkKindLabels) },
  ],
  columns: [
    { kind: 'time', key: 'at', title: '时间', value: (row) => row.at },
    { kind: 'choice', key: 'kind', title: '类型', width: 104, value: talkTag },
    { key: 'content', title: '内容', width: 420, wraps: true, text: (row) => row.content },
    { key: 'channel', title: '通道', width: 64, text: (row) => (row.command ? labelOf(channelLabels, row.command.channel) : null) },
    { key: 'state', title: '指令状态', width: 120, text: (row) => stateText(row.command) },
    { key: 'resultCode', title: '应答代码', width: 84, align: 'right', text: (row) => row.command?.resultCode?.toString() },
    { kind: 'time', key: 'sentAt', title: '发出时间', value: (row) => row.command?.sentAt },
    { kind: 'time', key: 'ackAt', title: '应答时间', value: (row) => row.command?.ackAt },
    { key: 'by', title: '下发人', width: 120, text: (row) => row.command?.by },
    { key: 'carId', title: '车辆编号', width: 130, optional: true, text: (row) => row.carId },
    { key: 'imei', title: 'IMEI', width: 150, optional: true, text: (row) => row.imei },
    { key: 'id', title: '日志编号', width: 180, optional: true, text: (row) => row.id },
  ],
}

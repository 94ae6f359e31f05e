import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import { alarmStateLabels, falseAlarmCauseLabels, ticketStateLabels, urgencyLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { areaChoices } from '@/kit/areaChoices'
import { labelOf, optionsOf, tagOf } from '@/kit/choice'
import type { ListDescription } from '@/kit/list/description'
import type { TagStyle } from '@/kit/StateTag'
import { ink, stateStyle } from '@/kit/theme'
import { ALARMS, TABLE } from './count'

export const ALARM_LIST = '/vehicle/alarm/list'
export const NOTE_MAX = 200

export type AlarmTicket = DataOf<typeof ALARM_LIST>['rows'][number]
export type AlarmInbox = DataOf<'/vehicle/alarm/inbox'>
export type AlarmGroup = AlarmInbox['groups'][number]
type State = AlarmTicket['state']
type Urgency = AlarmTicket['urgency']

export const OPEN: State = 0
const ACKNOWLEDGED: State = 1

/** Nothing more can be said of it. */
export const isOver = ({ state }: Pick<AlarmTicket, 'state'>): boolean => state !== OPEN && state !== ACKNOWLEDGED

/** What changes when somebody says something of an alarm. */
export const stale = [[ALARMS]] as const

const stateColors: Readonly<Record<State, string>> = {
  0: ink.danger,
  1: stateStyle[1].color,
  2: stateStyle[7].color,
  3: ink.good,
  4: stateStyle[7].color,
}

const urgencyColors: Readonly<Record<Urgency, string>> = { 1: ink.danger, 2: ink.warning, 3: stateStyle[7].color }

export const ticketState = (state: State): TagStyle => tagOf(state, ticketStateLabels, stateColors)
export const urgencyTag = (urgency: Urgency): TagStyle => tagOf(urgency, urgencyLabels, urgencyColors)
export const kindWord = (kind: AlarmTicket['kind']): string => labelOf(alarmStateLabels, kind)

export const alarmInbox = queryOptions({
  queryKey: [ALARMS, 'inbox'],
  queryFn: ({ signal }) => api.get('/vehicle/alarm/inbox', {}, { signal }),
})

export const alarmInfo = (id: string) =>
  queryOptions({
    queryKey: [ALARMS, 'info', id],
    queryFn: ({ signal }) => api.get('/vehicle/alarm/info', { id }, { signal }),
  })

/** The newest of one bike. */
export const alarmsOf = (carId: string) =>
  queryOptions({
    queryKey: [ALARMS, 'bike', carId],
    queryFn: ({ signal }) => api.get(ALARM_LIST, { keyword: carId, page: 1, pageSize: 20 }, { signal }),
  })

/** What it stood on, in short: `电量 12% · 128 m`. */
export function evidenceOf({ socPercent, distanceM }: Pick<AlarmTicket, 'socPercent' | 'distanceM'>): string {
  const parts = [
    typeof socPercent === 'number' ? `电量 ${socPercent}%` : '',
    typeof distanceM === 'number' ? `偏离 ${Math.round(distanceM)} m` : '',
  ]
  return parts.filter((part) => part !== '').join(' · ')
}

/** The bike on the map. */
export const placeOnMap = (carId: string): string => `/vehicle/operation-map?carId=${encodeURIComponent(carId)}`

/** Tickets, those of before included. */
export const alarmList: ListDescription<AlarmTicket> = {
  id: 'alarm-ticket',
  title: '报警单',
  purpose: '每辆车的每种报警一张单：恢复时自动关闭，或由人确认后填写处理结果；十分钟内再次报警算同一张。',
  path: ALARM_LIST,
  family: ALARMS,
  exported: true,
  table: TABLE,
  rowKey: (ticket) => ticket.id,
  emptyText: '没有报警',
  filters: [
    { kind: 'text', name: 'keyword', label: '车辆编号', placeholder: '完整车辆编号' },
    { kind: 'select', name: 'kind', label: '报警类型', options: optionsOf(alarmStateLabels) },
    { kind: 'select', name: 'state', label: '状态', options: optionsOf(ticketStateLabels) },
    { kind: 'area', agent: 'agentId', area: 'opAreaId', label: '服务区', choices: areaChoices(null) },
    { kind: 'times', from: 'startTime', to: 'endTime', label: '首次报警' },
    { kind: 'select', name: 'urgency', label: '紧急程度', options: optionsOf(urgencyLabels) },
    {
      kind: 'select',
      name: 'escalated',
      label: '升级',
      options: [
        { value: 'true', label: '已升级' },
        { value: 'false', label: '未升级' },
      ],
    },
  ],
  columns: [
    { key: 'kind', title: '报警类型', width: 100, strong: true, text: (ticket) => kindWord(ticket.kind) },
    { kind: 'choice', key: 'urgency', title: '紧急程度', width: 92, value: (ticket) => urgencyTag(ticket.urgency) },
    { key: 'carId', title: '车辆编号', width: 140, text: (ticket) => ticket.carId },
    { key: 'areaName', title: '服务区', width: 130, text: (ticket) => ticket.areaName },
    { kind: 'choice', key: 'state', title: '状态', width: 92, value: (ticket) => ticketState(ticket.state) },
    { kind: 'time', key: 'firstAt', title: '首次报警', value: (ticket) => ticket.firstAt },
    { kind: 'time', key: 'lastAt', title: '最近报警', value: (ticket) => ticket.lastAt },
    { kind: 'count', key: 'times', title: '报警次数', width: 88, value: (ticket) => ticket.times },
    { key: 'isEscalated', title: '已升级', width: 76, text: (ticket) => (ticket.isEscalated ? '是' : '否') },
    { kind: 'time', key: 'acknowledgedAt', title: '确认时间', value: (ticket) => ticket.acknowledgedAt },
    { key: 'acknowledgedBy', title: '确认人', width: 90, text: (ticket) => ticket.acknowledgedBy },
    { kind: 'time', key: 'endedAt', title: '结束时间', value: (ticket) => ticket.endedAt },
    { key: 'endedBy', title: '处理人', width: 90, text: (ticket) => ticket.endedBy },
    { key: 'cause', title: '误报原因', width: 110, text: (ticket) => (ticket.cause ? labelOf(falseAlarmCauseLabels, ticket.cause) : '') },
    { key: 'note', title: '处理结果', width: 180, text: (ticket) => ticket.note },
    { key: 'lat', title: '纬度', width: 100, optional: true, align: 'right', text: (ticket) => ticket.lat?.toFixed(6) },
    { key: 'lng', title: '经度', width: 108, optional: true, align: 'right', text: (ticket) => ticket.lng?.toFixed(6) },
    { key: 'id', title: '报警单号', width: 160, optional: true, text: (ticket) => ticket.id },
  ],
}

/** Rows of the gallery, made of their number; nothing here is real. */
import { queryOptions } from '@tanstack/react-query'
import type { History, Step } from '@/features/audit/log'
import type { AnyList, Filter, FilterOption, ListRows } from '@/kit/list/description'
import type { ListAsked } from '@/kit/list/ListPage'
import type { Branch } from '@/kit/permission/codes'
import { ink, stateStyle } from '@/kit/theme'

export interface Sample {
  id: string
  name: string
  state: number
  paid: number | null
  phone: string
  bikes: number | null
  share: number
  at_ms: number
  remark: string
}

const MOST = 240
const FIRST_MS = Date.UTC(2026, 10, 21, 4)
const DAY_MS = 86_400_000

const states = [
  { label: '进行中', color: stateStyle[1].color },
  { label: '已完成', color: stateStyle[0].color },
  { label: '待处理', color: ink.warning },
  { label: '已取消', color: stateStyle[7].color },
] as const
const stateOptions = states.map(({ label }, state) => ({ value: String(state), label }))
const places: readonly FilterOption[] = Array.from({ length: 60 }, (_, index) => ({ value: String(index), label: `示例停车区 ${index + 1}` }))

/** Finds one of them by name or number. */
export const placeChoices = (keyword: string) => ({
  queryKey: ['gallery', 'places', keyword],
  queryFn: () => Promise.resolve(places.filter(({ value, label }) => value === keyword || label.includes(keyword)).slice(0, 20)),
})

const agents = Array.from({ length: 12 }, (_, index) => ({ agentId: String(index + 1), company: `示例代理 ${index + 1}` }))
const areas = Array.from({ length: 60 }, (_, index) => ({ id: `a${index}`, name: `示例服务区 ${index + 1}`, agentId: String(1 + (index % 11)) }))

export const samples: readonly Sample[] = Array.from({ length: MOST }, (_, index) => ({
  id: String(1000 + index),
  name: index % 17 === 3 ? `名称很长的示例记录，长到一行放不下，第 ${index + 1} 条` : `示例记录 ${index + 1}`,
  state: index % states.length,
  paid: index % 11 === 5 ? null : (index * 73_939) % 5_000_000,
  phone: `138****${String(1000 + ((index * 37) % 9000))}`,
  bikes: index % 7 === 2 ? null : (index * 131) % 20_000,
  share: (index * 125) % 10_001,
  at_ms: FIRST_MS - (index * DAY_MS) / 3,
  remark: index % 5 === 0 ? '' : '备注写在这里',
}))

const filters: readonly Filter[] = [
  { kind: 'text', name: 'keyword', label: '关键词', placeholder: '名称' },
  { kind: 'select', name: 'state', label: '状态', options: stateOptions },
  { kind: 'several', name: 'states', label: '多个状态', options: stateOptions },
  {
    kind: 'search',
    name: 'place',
    label: '停车区',
    choices: placeChoices,
  },
  {
    kind: 'area',
    agent: 'agent',
    area: 'area',
    label: '代理 / 服务区',
    choices: {
      agents: { queryKey: ['gallery', 'agents'], queryFn: () => Promise.resolve(agents) },
      areas: { queryKey: ['gallery', 'areas'], queryFn: () => Promise.resolve(areas) },
    },
  },
  {
    kind: 'area',
    agent: 'ownAgent',
    area: 'ownArea',
    label: '自己的服务区',
    choices: {
      agents: { queryKey: ['gallery', 'own agent'], queryFn: () => Promise.resolve(agents.slice(0, 1)) },
      areas: { queryKey: ['gallery', 'own areas'], queryFn: () => Promise.resolve(areas.filter(({ agentId }) => agentId === '1')) },
    },
  },
  { kind: 'numbers', from: 'fromBikes', to: 'toBikes', label: '车辆', unit: '辆' },
  { kind: 'money', from: 'minCents', to: 'maxCents', label: '金额' },
  { kind: 'times', from: 'startTime', to: 'endTime', label: '创建时间' },
]

export const sampleList: AnyList<Sample> = {
  id: 'gallery',
  title: '列表',
  purpose: '每一种筛选和列，状态标签、排序、合计、批量操作；每页超过 100 条时只画看得见的行。',
  path: '/kit-gallery',
  rowKey: ({ id }) => id,
  emptyText: '还没有记录',
  tabs: { name: 'tab', label: '状态', options: stateOptions.map((option, state) => ({ ...option, count: samples.filter((row) => row.state === state).length })) },
  filters,
  columns: [
    { key: 'name', title: '文字', width: 200, strong: true, sort: 'name', text: ({ name }) => name },
    { kind: 'choice', key: 'state', title: '选项', value: ({ state }) => states[state] },
    { kind: 'money', key: 'paid', title: '金额（元）', sort: 'paid', value: ({ paid }) => paid },
    { kind: 'phone', key: 'phone', title: '电话', value: ({ phone }) => phone },
    { kind: 'count', key: 'bikes', title: '数量', none: '不限', sort: 'bikes', value: ({ bikes }) => bikes },
    { kind: 'percent', key: 'share', title: '百分比', value: ({ share }) => share },
    { kind: 'time', key: 'at', title: '时间', sort: 'at_ms', value: ({ at_ms }) => at_ms },
    { key: 'remark', title: '备注', width: 140, text: ({ remark }) => remark },
    { key: 'id', title: '编号', width: 100, optional: true, text: ({ id }) => id },
  ],
}

const orders: Readonly<Record<string, (row: Sample) => number | string>> = {
  name: ({ name }) => name,
  paid: ({ paid }) => paid ?? 0,
  bikes: ({ bikes }) => bikes ?? 0,
  at_ms: ({ at_ms }) => at_ms,
}

/** What a server would answer. */
export function samplePage({ filters, sort, page, pageSize }: ListAsked): Promise<ListRows<Sample>> {
  const { keyword = '', state, tab, states: several, fromBikes, toBikes, startTime, endTime } = filters
  const at = (written: string) => Date.parse(`${written.replace(' ', 'T')}+08:00`)
  const order = orders[sort?.replace(/^-/, '') ?? '']
  const left = samples
    .filter((row) => row.name.includes(keyword))
    .filter((row) => [state, tab].every((one) => one === undefined || String(row.state) === one))
    .filter((row) => several === undefined || several.split(',').includes(String(row.state)))
    .filter(({ bikes }) => bikes === null || (bikes >= Number(fromBikes ?? 0) && bikes <= Number(toBikes ?? Infinity)))
    .filter(({ at_ms }) => (startTime === undefined || at_ms >= at(startTime)) && (endTime === undefined || at_ms <= at(endTime)))
  const sorted = order ? left.toSorted((a, b) => (order(a) < order(b) ? -1 : 1) * (sort?.startsWith('-') ? -1 : 1)) : left
  const totals = { paid: left.reduce((sum, { paid }) => sum + (paid ?? 0), 0), bikes: left.reduce((sum, { bikes }) => sum + (bikes ?? 0), 0) }
  return Promise.resolve({ rows: sorted.slice((page - 1) * pageSize, page * pageSize), count: left.length, totals })
}

export const sampleTree = queryOptions({
  queryKey: ['gallery tree'],
  queryFn: (): Promise<readonly Branch[]> =>
    Promise.resolve([
      {
        code: '01',
        title: '代理管理',
        kind: 1,
        children: [
          { code: '0101', title: '账号管理', kind: 2 },
          { code: '0102', title: '本人没有的权限', kind: 2, checked: false },
        ],
      },
      { code: '10', title: '权限管理', kind: 1, children: [{ code: '1001', title: '只给管理员的页面', kind: 2, levelMask: 1 }] },
    ]),
})

const stepOf = (version: number, actionLabel: string, kind: number, changes: Step['changes']): Step => ({
  position: version,
  version,
  time: FIRST_MS + version * DAY_MS,
  actor: kind === 1 ? { kind, id: '7', name: '王小明', phone: '138****5678' } : { kind, id: '', name: '合同到期', phone: '' },
  action: '',
  actionLabel,
  ip: '',
  traceId: '',
  changes,
})
const changed = (label: string, beforeText: string, afterText: string, added: string[] | null = null, removed: string[] | null = null) => ({
  field: label,
  label,
  before: beforeText,
  after: afterText,
  beforeText,
  afterText,
  added,
  removed,
})

/** What was done to a record. */
export const sampleHistory: History = {
  category: 'role',
  categoryLabel: '角色',
  id: '1000',
  name: '示例记录',
  count: 31,
  rows: [
    stepOf(31, '到期', 3, [changed('状态', '合作中', '已到期')]),
    stepOf(30, '修改角色', 1, [
      changed('名称', '示例', '示例记录'),
      changed('权限', '3 项', '4 项', ['人员列表', '角色列表'], ['操作人员日志']),
      changed('备注', '', '占得下一整行的说明，写得长一些，看看在窄屏上怎样折行'),
    ]),
    stepOf(29, '新增角色', 1, []),
  ],
}

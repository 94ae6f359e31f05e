import type { FilterOption, ListDescription } from '@/kit/list/description'
import type { Statistics } from '@/kit/statistics/statistics'
import { ramp } from '@/kit/theme'
import { idleBands, levels, type Station, type StationAnswer, type StationPoint, STATIONS_PATH } from './station'

const idleOf = (station: Station) => Math.round(station.idle.reduce((sum, bikes) => sum + bikes, 0) * 100) / 100

const basisPoints = (percent: number | null) => percent === null ? null : Math.round(percent * 100)

/** The rows of station statistics; `areas` fill the filter. */
export function stationList(areas: readonly FilterOption[]): ListDescription<Station> {
  return {
    id: 'station-statistics',
    title: '站点统计',
    purpose: '各站点停了多少车、进出多少、满了和空了多久，用来定容量、调车和新建站点；按整点统计，在站车辆等是现在的。',
    path: STATIONS_PATH,
    exported: true,
    rowKey: (station) => station.id,
    emptyText: '还没有站点的统计：每个整点之后约两分钟统计上一小时',
    filters: [
      {
        kind: 'times',
        from: 'startTime',
        to: 'endTime',
        label: '时间',
        quick: ['today', 'yesterday', '7d', '30d'],
        usual: '7d',
      },
      { kind: 'several', name: 'opAreaIds', label: '服务区', options: areas },
      { kind: 'select', name: 'level', label: '当前等级', options: levels.map(({ label }, level) => ({ value: String(level), label })) },
      { kind: 'text', name: 'keyword', label: '关键词', placeholder: '站点名称' },
      { kind: 'text', name: 'tag', label: '标签', placeholder: '完整的标签' },
    ],
    columns: [
      { key: 'name', title: '站点', width: 150, strong: true, text: (station) => (station.deleted ? `${station.name}（已删除）` : station.name) },
      { key: 'areaName', title: '服务区', width: 120, text: (station) => station.areaName },
      { kind: 'choice', key: 'level', title: '当前等级', width: 92, value: (station) => (station.level === null ? null : levels[station.level]) },
      { kind: 'count', key: 'vehicles', title: '在站车辆', width: 84, value: (station) => station.vehicles },
      { kind: 'count', key: 'rentable', title: '可租', width: 64, value: (station) => station.rentable },
      { kind: 'count', key: 'siteOut', title: '站外车', width: 72, value: (station) => station.siteOut },
      { kind: 'count', key: 'alarm', title: '告警', width: 64, value: (station) => station.alarm },
      { kind: 'count', key: 'fault', title: '故障', width: 64, value: (station) => station.fault },
      { kind: 'count', key: 'returns', title: '还车', width: 84, sort: 'returns', value: (station) => station.returns },
      { kind: 'count', key: 'departures', title: '离站', width: 84, sort: 'departures', value: (station) => station.departures },
      { kind: 'count', key: 'outside', title: '站外还车', width: 100, sort: 'outside', value: (station) => station.outside },
      { kind: 'count', key: 'standing', title: '平均在站', width: 100, sort: 'standing', value: (station) => station.standing },
      { kind: 'count', key: 'idle', title: '平均闲置', width: 100, sort: 'idle', value: idleOf },
      { kind: 'count', key: 'fullHours', title: '淤积时长（小时）', width: 120, sort: 'fullHours', value: (station) => station.fullHours },
      { kind: 'percent', key: 'fullPercent', title: '满溢率', width: 80, value: (station) => basisPoints(station.fullPercent) },
      { kind: 'count', key: 'emptyHours', title: '空站时长（小时）', width: 120, sort: 'emptyHours', value: (station) => station.emptyHours },
      { kind: 'percent', key: 'emptyPercent', title: '空站率', width: 80, value: (station) => basisPoints(station.emptyPercent) },
      { kind: 'count', key: 'misses', title: '丢单', width: 84, sort: 'misses', value: (station) => station.misses },
      { kind: 'count', key: 'orders', title: '订单', width: 84, sort: 'orders', value: (station) => station.orders },
      { kind: 'money', key: 'costCents', title: '流水（元）', width: 104, sort: 'costCents', value: (station) => station.costCents },
      { kind: 'count', key: 'openHours', title: '开放时长（小时）', width: 120, optional: true, value: (station) => station.openHours },
      { kind: 'count', key: 'capacity', title: '停放上限', width: 84, optional: true, value: (station) => station.capacity },
      { key: 'tags', title: '标签', width: 130, optional: true, text: (station) => station.tags.join('、') },
      { key: 'id', title: '站点编号', width: 170, optional: true, text: (station) => station.id },
    ],
  }
}

const formulas = {
  returns: '期间在站内关锁的次数：原先开着、随后关锁，且按当时的围栏落在站点（含缓冲和定位误差）之内',
  departures: '期间开锁离开的次数；被搬走的车不知道何时离开，不计',
  outside: '期间关锁在任何站点之外、以该站点为最近且不超过 50 米的次数',
  standing: '每个整点在站车辆之和 ÷ 整点数',
  full: '整点为「淤积」的站点小时 ÷ 开放的站点小时；淤积：在站车辆不少于当时的停放上限',
  misses: '期间在站点附近（以其为最近、不超过 300 米）因车辆、车锁或无车可租没有用上车的次数；用户自身原因（未实名、欠费等）不计，两分钟内的重复尝试算一次',
  orders: '期间在站内或站外 50 米内开始的骑行订单',
  cost: '上述订单的应付金额之和；改价在订单次日之内的计入，之后的改价和退款不再变动',
  empty: '整点为「空」的站点小时 ÷ 开放的站点小时；空：一辆也没有',
} as const

/** What the answers of station statistics show above their rows. */
export const stationStatistics: Statistics<StationAnswer, StationPoint> = {
  cards: [
    { key: 'stations', title: '站点', unit: '个', formula: '现在启用、没有删除的站点；列表还包括期间开放过、之后停用或删除的', figure: ({ summary }) => summary.stations },
    { key: 'vehicles', title: '在站车辆', unit: '辆', formula: '现在停在这些站点内、没有在骑行的上架车辆，按最近一次定位', figure: ({ summary }) => summary.vehicles },
    { key: 'rentable', title: '可租', unit: '辆', formula: '在站车辆中现在可以租用的', figure: ({ summary }) => summary.rentable },
    { key: 'siteOut', title: '站外车', unit: '辆', formula: '现在停在任何站点之外、以这些站点为最近且不超过 50 米的上架车辆', figure: ({ summary }) => summary.siteOut },
    { key: 'alarm', title: '告警', unit: '辆', formula: '在站车辆中现在有告警的', figure: ({ summary }) => summary.alarm },
    { key: 'fault', title: '故障', unit: '辆', formula: '在站车辆中现在被报修的', figure: ({ summary }) => summary.fault },
    { key: 'returns', title: '还车', unit: '次', formula: formulas.returns, figure: ({ summary }) => summary.returns },
    { key: 'departures', title: '离站', unit: '次', formula: formulas.departures, figure: ({ summary }) => summary.departures },
    { key: 'outside', title: '站外还车', unit: '次', formula: formulas.outside, figure: ({ summary }) => summary.outside },
    { key: 'standing', title: '平均在站', unit: '辆', formula: formulas.standing, figure: ({ summary }) => summary.standing },
    { key: 'full', title: '满溢率', unit: '%', formula: formulas.full, figure: ({ summary }) => summary.fullPercent },
    { key: 'empty', title: '空站率', unit: '%', formula: formulas.empty, figure: ({ summary }) => summary.emptyPercent },
    { key: 'misses', title: '丢单', unit: '次', formula: formulas.misses, figure: ({ summary }) => summary.misses },
    { key: 'orders', title: '订单', unit: '单', formula: formulas.orders, figure: ({ summary }) => summary.orders },
    { key: 'cost', title: '流水', unit: '元', formula: formulas.cost, figure: ({ summary }) => summary.costYuan },
  ],
  trend: {
    title: '趋势',
    points: ({ series }) => series,
    at: ({ at }) => at,
    byHour: ({ byHour }) => byHour,
    lines: [
      { key: 'returns', title: '还车', unit: '次', formula: formulas.returns, value: ({ returns }) => returns },
      { key: 'departures', title: '离站', unit: '次', formula: formulas.departures, value: ({ departures }) => departures },
      { key: 'outside', title: '站外还车', unit: '次', formula: formulas.outside, value: ({ outside }) => outside },
      { key: 'standing', title: '平均在站', unit: '辆', formula: formulas.standing, value: ({ standing }) => standing },
      { key: 'full', title: '满溢率', unit: '%', percent: true, formula: formulas.full, value: ({ fullPercent }) => fullPercent },
      { key: 'empty', title: '空站率', unit: '%', percent: true, formula: formulas.empty, value: ({ emptyPercent }) => emptyPercent },
      { key: 'misses', title: '丢单', unit: '次', formula: formulas.misses, value: ({ misses }) => misses },
      { key: 'orders', title: '订单', unit: '单', formula: formulas.orders, value: ({ orders }) => orders },
      { key: 'cost', title: '流水', unit: '元', formula: formulas.cost, value: ({ costYuan }) => costYuan },
    ],
  },
  rankings: [
    { key: 'returns', title: '还车', unit: '次', formula: `${formulas.returns}；最多的 10 个站点`, rows: ({ rank }) => rank.returns },
    { key: 'full', title: '淤积', unit: '小时', formula: '期间整点为「淤积」的小时数，最多的 10 个站点', rows: ({ rank }) => rank.full },
    { key: 'empty', title: '空站', unit: '小时', formula: '期间整点为「空」的小时数，最多的 10 个站点', rows: ({ rank }) => rank.empty },
    { key: 'misses', title: '丢单', unit: '次', formula: `${formulas.misses}；最多的 10 个站点`, rows: ({ rank }) => rank.misses },
  ],
  shares: [
    {
      key: 'levels',
      title: '等级分布',
      unit: '站点小时',
      formula: '每个开放的站点在每个整点算一个站点小时，按当时的容量分级：空 = 0 辆；偏少 < 保有下限；偏多 > 停放上限的 80%；淤积 ≥ 停放上限；其余正常',
      parts: (answer) => answer.levels.map(({ part, value }) => ({ ...(levels[part] ?? { label: String(part), color: ramp[0] }), value })),
    },
    {
      key: 'idle',
      title: '闲置分档',
      unit: '辆',
      formula: '整点在站且已停满 1 小时的车辆，按停了多久分档，取各整点的平均',
      parts: (answer) => answer.idle.map(({ part, value }) => ({ label: idleBands[part] ?? String(part), color: ramp[part + 2] ?? ramp[7], value })),
    },
  ],
}

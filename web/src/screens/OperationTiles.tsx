/** Tiles of today's operation: those of 运营大屏 and of 运营看板. */
import { useContext, useMemo } from 'react'

import { alarmStateLabels, missReasonLabels, urgencyLabels } from '@/api/generated/labels'
import { alarmStyle, stateStyle, type Palette, type StateStyle } from '@/kit/theme'
import { SignIcon } from '@/map/SignIcon'
import type { Daylight } from '@/map/daylight'

import { Counting, countText } from './Counting'
import { LazyChart } from './LazyChart'
import { changeText, ageText } from './stage'
import { NowContext, ScaleContext } from './contexts'
import { Tile } from './Tile'
import type { OperationScreen } from './useScreen'

/** What the tiles are drawn with. */
export interface Drawing {
  readonly palette: Palette
  readonly daylight: Daylight
  /** px of captions. */
  readonly caption: number
  /** px of a state's sign. */
  readonly sign: number
}

const mapOf = { to: '/vehicle/operation-map', title: '在运营地图上查看', need: '0301' }
const ordersOf = { to: '/user-order', title: '查看用户订单', need: '1601' }
const missesOf = { to: '/user-order?view=misses', title: '查看丢单', need: '1601' }
const alarmsOf = { to: '/vehicle/vehicle-query?view=alarms', title: '查看报警单', need: '0302' }
const stationsOf = { to: '/data/station-statistics', title: '查看站点统计', need: '0907' }

type Fleet = NonNullable<OperationScreen['fleet']>

const percent = (part: number, whole: number) => (whole === 0 ? 0 : (part / whole) * 100)
const percentText = (value: number) => value.toFixed(1)

/** The figures that are read first. */
export function HeadFigures({ screen }: { screen: OperationScreen }) {
  const { fleet, orders, alarms } = screen
  const change = changeText(orders.count, orders.countYesterday)
  return (
    <div className="screen-heads" role="group" aria-label="今日概况">
      {fleet && <Head label="上架车辆" value={fleet.shelved} />}
      {fleet && <Head label="可租率" value={percent(fleet.rentable, fleet.shelved)} text={percentText} unit="%" />}
      <Head label="骑行中" value={orders.riding} />
      <Head label="今日订单" value={orders.count} note={change ? `较昨日同时段 ${change.text}` : '昨日同时段无订单'} />
      <Head label="待处理告警" value={alarms.open} alarm={alarms.open > 0} />
    </div>
  )
}

interface HeadProps {
  label: string
  value: number
  text?: (value: number) => string
  unit?: string
  note?: string
  alarm?: boolean
}

export function Head({ label, value, text = countText, unit, note, alarm = false }: HeadProps) {
  return (
    <div className={alarm ? 'screen-headed is-alarm' : 'screen-headed'} data-figure={label}>
      <span className="screen-label">{label}</span>
      <strong>
        <Counting value={value} text={text} />
        {unit && <small>{unit}</small>}
      </strong>
      {note && <span className="screen-note">{note}</span>}
    </div>
  )
}

const states: readonly StateStyle[] = stateStyle

/** 车辆状态: a ring of shares, and each state with its sign and its count. */
export function StatesTile({ fleet, drawing }: { fleet: Fleet; drawing: Drawing }) {
  const scale = useContext(ScaleContext)
  const counts = states.map((_, state) => fleet.states[state] ?? 0)
  const all = fleet.states.reduce((sum, count) => sum + count, 0)
  const placeless = fleet.states[states.length] ?? 0
  const parts = [...states.map(({ color }, state) => ({ color, value: counts[state] ?? 0 })), { color: drawing.palette.line, value: placeless }]
  return (
    <Tile
      title="车辆状态"
      className="tile-states"
      span={fleet}
      formula="服务区内应在街面的车辆（已上架、已下架未回收、报失），每辆车只计一次，按车辆最近一次上报与当前订单判定状态；告警与状态可同时成立，另行计数。可租率 = 待使用且可租 ÷ 上架车辆。"
      rows={mapOf}
    >
      <div className="screen-states">
        <Ring parts={parts} middle={countText(all)} label="辆" />
        <ul>
          {states.map(({ key, label, color, sign }, state) => (
            <li key={key}>
              <SignIcon sign={sign} color={color} daylight={drawing.daylight} size={drawing.sign} stretch={scale} />
              <span>{label}</span>
              <b>
                <Counting value={counts[state] ?? 0} />
              </b>
            </li>
          ))}
          <li>
            <SignIcon sign={alarmStyle.sign} color={alarmStyle.color} daylight={drawing.daylight} size={drawing.sign} stretch={scale} />
            <span>{alarmStyle.label}</span>
            <b>
              <Counting value={fleet.alarm} />
            </b>
          </li>
        </ul>
      </div>
    </Tile>
  )
}

const RADIUS = 42
const AROUND = 2 * Math.PI * RADIUS

/** Shares of a whole as a ring; in a vector, so that it is sharp at any size. */
export function Ring({ parts, middle, label }: { parts: readonly { color: string; value: number }[]; middle: string; label: string }) {
  const all = parts.reduce((sum, { value }) => sum + value, 0)
  const begins = parts.map((_, index) => parts.slice(0, index).reduce((sum, { value }) => sum + value, 0))
  return (
    <svg className="screen-ring" viewBox="0 0 100 100" role="img" aria-label={`共 ${middle} ${label}`}>
      <circle cx="50" cy="50" r={RADIUS} className="ring-ground" />
      {all > 0 &&
        parts.map(({ color, value }, index) => (
          <circle
            // oxlint-disable-next-line react/no-array-index-key -- parts have no names and never change places
            key={index}
            cx="50"
            cy="50"
            r={RADIUS}
            stroke={color}
            strokeDasharray={`${(value / all) * AROUND} ${AROUND}`}
            strokeDashoffset={(-(begins[index] ?? 0) / all) * AROUND}
          />
        ))}
      <text x="50" y="52">
        {middle}
      </text>
      <text x="50" y="66" className="ring-label">
        {label}
      </text>
    </svg>
  )
}

export interface Bar {
  label: string
  value: number
  color: string
  text?: string
}

/** Values beside each other as bars. */
export function Bars({ bars, text = countText }: { bars: readonly Bar[]; text?: (value: number) => string }) {
  const most = Math.max(1, ...bars.map(({ value }) => Math.abs(value)))
  return (
    <ul className="screen-bars">
      {bars.map(({ label, value, color }) => (
        <li key={label}>
          <span className="bar-label" title={label}>
            {label}
          </span>
          <span className="bar-track">
            <i style={{ width: `${(Math.abs(value) / most) * 100}%`, background: color }} />
          </span>
          <b>
            <Counting value={value} text={text} />
          </b>
        </li>
      ))}
    </ul>
  )
}

const chargeNames = ['20% 以下', '20–39%', '40–59%', '60–79%', '80% 以上'] as const

/** 电量分布. */
export function ChargeTile({ fleet, drawing }: { fleet: Fleet; drawing: Drawing }) {
  const low = stateStyle[4].color
  const bars = chargeNames.map((label, band) => ({ label, value: fleet.charge[band] ?? 0, color: band === 0 ? low : drawing.palette.accent }))
  const unknown = fleet.chargeUnknown > 0 ? [{ label: '未上报', value: fleet.chargeUnknown, color: stateStyle[7].color }] : []
  return (
    <Tile title="电量分布" span={fleet} formula="已上架车辆最近一次上报的电量，按 20 个百分点分档；从未上报电量的单列。低电以服务端的低电阈值为准，与分档无关。" rows={mapOf}>
      <Bars bars={[...bars, ...unknown]} />
    </Tile>
  )
}

const idleNames = ['1 小时内', '1–3 小时', '3–6 小时', '6–12 小时', '12–24 小时', '24–48 小时', '48 小时以上'] as const
const LONG_FROM = 5

/** 闲置分档. */
export function IdleTile({ idle, drawing }: { idle: NonNullable<OperationScreen['idle']>; drawing: Drawing }) {
  const warn = stateStyle[4].color
  const bars = idleNames.map((label, band) => ({ label, value: idle.bands[band] ?? 0, color: band >= LONG_FROM ? warn : drawing.palette.accent }))
  const unknown = idle.unknown > 0 ? [{ label: '不详', value: idle.unknown, color: stateStyle[7].color }] : []
  return (
    <Tile title="闲置分档" span={idle} formula="已上架且无人骑行的车辆：现在 − 最近一次关锁停放的时刻。没有停放记录（超过 35 天，或尚未上报过关锁）的计入「不详」。" rows={mapOf}>
      <Bars bars={[...bars, ...unknown]} />
    </Tile>
  )
}

/** 实时告警: what hurries most on top. */
export function AlarmsTile({ alarms, most }: { alarms: OperationScreen['alarms']; most: number }) {
  const now = useContext(NowContext)
  const { open, acknowledged, escalated, rows } = alarms
  return (
    <Tile
      title="实时告警"
      span={alarms}
      formula="未处理与处理中的报警单，按紧急程度、再按首次报警时间由新到旧。闪烁的是尚无人确认的紧急报警。"
      rows={alarmsOf}
    >
      <p className="screen-counts">
        未处理 <b><Counting value={open} /></b> · 处理中 <b><Counting value={acknowledged} /></b> · 已升级 <b><Counting value={escalated} /></b>
      </p>
      {rows.length === 0 ? (
        <p className="screen-none">没有待处理的告警</p>
      ) : (
        <ul className="screen-lines">
          {rows.slice(0, most).map((row) => (
            <li key={row.id} className={row.urgency === 1 && row.state === 0 ? 'urgent unheard' : row.urgency === 1 ? 'urgent' : ''}>
              <span className="line-mark">{urgencyLabels[row.urgency]}</span>
              <span className="line-main">
                {alarmStateLabels[row.kind]} <span className="figure">{row.carId}</span>
                <small>{row.areaName ?? '不在服务区'}</small>
              </span>
              <span className="line-end">{ageText(row.lastAt, now)}</span>
            </li>
          ))}
        </ul>
      )}
    </Tile>
  )
}

/** 站点供需: places that are too full, and empty ones. */
export function StationsTile({ stations, most }: { stations: NonNullable<OperationScreen['stations']>; most: number }) {
  return (
    <Tile
      title="站点供需"
      span={stations}
      formula="正在开放的停车点按在位车辆与停放上限分级：淤积 = 达到或超过上限（4 级），空站 = 没有车（0 级）。列出淤积最多与容量最大的空站。"
      rows={stationsOf}
    >
      <p className="screen-counts">
        开放 <b><Counting value={stations.open} /></b> · 淤积 <b><Counting value={stations.full} /></b> · 空站 <b><Counting value={stations.empty} /></b>
      </p>
      {stations.rows.length === 0 ? (
        <p className="screen-none">没有淤积或空的站点</p>
      ) : (
        <ul className="screen-lines">
          {stations.rows.slice(0, most).map((row) => (
            <li key={row.id} className={row.level === 4 ? 'is-full' : 'is-empty'}>
              <span className="line-mark">{row.level === 4 ? '淤积' : '空站'}</span>
              <span className="line-main">
                {row.name}
                <small>{row.areaName ?? ''}</small>
              </span>
              <span className="line-end figure">
                {row.vehicles}
                {row.capacity === null ? '' : ` / ${row.capacity}`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Tile>
  )
}

const hourNames = Array.from({ length: 24 }, (_, hour) => `${hour}时`)

/** 订单 hour by hour, against yesterday and the same day of last week. */
export function OrdersTile({ orders, drawing }: { orders: OperationScreen['orders']; drawing: Drawing }) {
  const { palette, caption } = drawing
  const { today, yesterday, lastWeek, untilMs, sinceMs } = orders
  const series = useMemo(() => {
    // Hours to come have no orders, which is not none.
    const over = Math.floor((untilMs - sinceMs) / 3_600_000)
    return [
      { title: '今日', kind: 'bar' as const, color: palette.accent, values: today.map((count, hour) => (hour <= over ? count : null)) },
      { title: '昨日', kind: 'line' as const, color: stateStyle[4].color, stroke: 'solid' as const, values: yesterday },
      { title: '上周同日', kind: 'line' as const, color: palette.weakText, stroke: 'dashed' as const, values: lastWeek },
    ]
    // oxlint-disable-next-line react/exhaustive-deps -- each answer brings new arrays; what is drawn follows from what is in them
  }, [today.join(), yesterday.join(), lastWeek.join(), Math.floor((untilMs - sinceMs) / 3_600_000), palette])
  const words = [
    ['昨日同时段', orders.countYesterday],
    ['上周同日同时段', orders.countLastWeek],
  ] as const
  return (
    <Tile
      title="今日订单"
      span={orders}
      formula="按下单时间计入所在小时、未取消的订单（含骑行中与待支付）。对比为昨日与上周同日；「同时段」截至同一分钟。当前小时尚未结束。"
      rows={ordersOf}
      className="tile-chart"
    >
      <p className="screen-counts">
        今日 <b><Counting value={orders.count} /></b>
        {words.map(([label, count]) => {
          const change = changeText(orders.count, count)
          return (
            <span key={label}>
              {' '}
              · {label} <b>{countText(count)}</b>
              {change && `（${change.text}）`}
            </span>
          )
        })}
      </p>
      <LazyChart label={`今日每小时订单，与昨日和上周同日对比；今日共 ${orders.count} 单`} names={hourNames} series={series} palette={palette} size={caption} unit="单" text={countText} />
    </Tile>
  )
}

/** 丢单原因. */
export function MissesTile({ misses, drawing, most }: { misses: OperationScreen['misses']; drawing: Drawing; most: number }) {
  const bars = misses.reasons.slice(0, most).map(({ reason, count }) => ({ label: missReasonLabels[reason], value: count, color: drawing.palette.accent }))
  const rest = misses.reasons.slice(most).reduce((sum, { count }) => sum + count, 0)
  return (
    <Tile title="丢单原因" span={misses} formula="今日扫码、预约或开锁未成以及附近无车可用的次数，按首次尝试计；同一人两分钟内重复尝试同一件事计一次。" rows={missesOf}>
      <p className="screen-counts">
        今日丢单 <b><Counting value={misses.count} /></b>
        {rest > 0 && ` · 其余原因 ${countText(rest)}`}
      </p>
      {bars.length === 0 ? <p className="screen-none">今日没有丢单</p> : <Bars bars={bars} />}
    </Tile>
  )
}

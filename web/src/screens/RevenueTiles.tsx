/** Tiles of 营收大屏. Its figures are those of 每日统计, to the cent. */
import { useMemo } from 'react'

import { stateStyle } from '@/kit/theme'

import { Counting, countText, yuanText } from './Counting'
import { LazyChart } from './LazyChart'
import { Bars, type Drawing } from './OperationTiles'
import { changeText } from './stage'
import { Tile } from './Tile'
import type { RevenueScreen } from './useScreen'

const daily = { to: '/report/financial-statistics', title: '查看每日统计', need: '150101' }

function Against({ label, now, before }: { label: string; now: number; before: number }) {
  const change = changeText(now, before)
  return (
    <span className="screen-against">
      {label} <b>{yuanText(before)}</b>
      {change && <em className={change.way < 0 ? 'less' : ''}>{change.text}</em>}
    </span>
  )
}

/** 今日营收: the one number of the wall. */
export function TodayTile({ today }: { today: RevenueScreen['today'] }) {
  return (
    <Tile
      title="今日总收益"
      span={today}
      formula="总收益 = 真实渠道收款（订单、充值、售卡；不含赠送）− 退款；押金是负债，不计入。归属日期与每日统计相同，分毫不差。昨日、上周同日为截至同一时刻。"
      rows={daily}
      className="tile-only"
    >
      <p className="screen-only" data-figure="今日总收益">
        <Counting value={today.revenueCents} text={yuanText} />
        <small>元</small>
      </p>
      <p className="screen-compared">
        <Against label="昨日同时段" now={today.revenueCents} before={today.revenueYesterdayCents} />
        <Against label="上周同日同时段" now={today.revenueCents} before={today.revenueLastWeekCents} />
      </p>
      <dl className="screen-parts">
        {(
          [
            ['应收', today.dueCents],
            ['实收', today.receivedCents],
            ['欠款', today.owingCents],
          ] as const
        ).map(([label, cents]) => (
          <div key={label} data-figure={label}>
            <dt>{label}</dt>
            <dd>
              <Counting value={cents} text={yuanText} />
            </dd>
          </div>
        ))}
        <div data-figure="订单">
          <dt>订单</dt>
          <dd>
            <Counting value={today.orders} />
          </dd>
        </div>
      </dl>
    </Tile>
  )
}

/** 业务构成: where money came from. */
export function MixTile({ today, drawing }: { today: RevenueScreen['today']; drawing: Drawing }) {
  const parts = [
    { label: '骑行', value: today.ridesCents },
    { label: '充值', value: today.topUpCents },
    { label: '卡与会员', value: today.cardsCents },
    { label: '其他', value: today.otherCents },
  ]
  const bars = parts.map((part) => ({ ...part, color: drawing.palette.accent }))
  return (
    <Tile title="业务构成" span={today} formula="今日真实渠道收款：骑行（当日实收与补缴）、钱包充值、售卡；余额支付的骑行在充值时已计入，不重复。单位：元。" rows={daily}>
      <Bars bars={bars} text={yuanText} />
    </Tile>
  )
}

/** 退款 · 赠送 · 欠款. */
export function BackTile({ today }: { today: RevenueScreen['today'] }) {
  const out = stateStyle[5].color
  const rate = (value: number | null) => (value === null ? '' : `（${(value / 100).toFixed(2)}%）`)
  return (
    <Tile title="退款 · 赠送 · 欠款" span={today} formula="退款 = 今日决定退回原渠道的金额，退款率 = 退款 ÷ 渠道收款；赠送成本 = 发入钱包的赠送金额；新增欠款 C = 应收 A − 新增实收 E，欠款率 = C ÷ A。单位：元。" rows={daily}>
      <Bars
        bars={[
          { label: `退款${rate(today.refundRate)}`, value: today.refundsCents, color: out },
          { label: '赠送成本', value: today.giftCents, color: stateStyle[4].color },
          { label: `欠款${rate(today.owingRate)}`, value: today.owingCents, color: out },
        ]}
        text={yuanText}
      />
    </Tile>
  )
}

const hourNames = Array.from({ length: 24 }, (_, hour) => `${hour}时`)
const shortYuan = new Intl.NumberFormat('zh-CN', { maximumFractionDigits: 2 })
const yuanOf = (cents: number) => cents / 100
const axisText = (yuan: number) => shortYuan.format(yuan)

/** 分时营收. */
export function HoursTile({ hours, drawing }: { hours: RevenueScreen['hours']; drawing: Drawing }) {
  const { palette, caption } = drawing
  const { today, yesterday, lastWeek, sinceMs, untilMs } = hours
  const over = Math.floor((untilMs - sinceMs) / 3_600_000)
  const series = useMemo(
    () => [
      { title: '今日', kind: 'bar' as const, color: palette.accent, values: today.map((cents, hour) => (hour <= over ? yuanOf(cents) : null)) },
      { title: '昨日', kind: 'line' as const, color: stateStyle[4].color, stroke: 'solid' as const, values: yesterday.map(yuanOf) },
      { title: '上周同日', kind: 'line' as const, color: palette.weakText, stroke: 'dashed' as const, values: lastWeek.map(yuanOf) },
    ],
    // oxlint-disable-next-line react/exhaustive-deps -- each answer brings new arrays; what is drawn follows from what is in them
    [today.join(), yesterday.join(), lastWeek.join(), over, palette],
  )
  return (
    <Tile title="分时营收" span={hours} formula="每小时总收益，按入账时刻计入；各小时之和即当日总收益，补记的其他日期款项计入首末小时。单位：元。" rows={daily} className="tile-chart">
      <LazyChart label="今日每小时总收益，与昨日和上周同日对比" names={hourNames} series={series} palette={palette} size={caption} unit="元" text={axisText} />
    </Tile>
  )
}

/** 近 30 日趋势. */
export function TrendTile({ trend, drawing }: { trend: RevenueScreen['trend']; drawing: Drawing }) {
  const { palette, caption } = drawing
  const { days } = trend
  const key = days.map(({ day, revenueCents, dueCents }) => `${day} ${revenueCents} ${dueCents}`).join()
  const [names, series] = useMemo(
    () => [
      days.map(({ day }) => day.slice(5)),
      [
        { title: '总收益', kind: 'bar' as const, color: palette.accent, values: days.map(({ revenueCents }) => yuanOf(revenueCents)) },
        { title: '应收', kind: 'line' as const, color: stateStyle[4].color, stroke: 'solid' as const, values: days.map(({ dueCents }) => yuanOf(dueCents)) },
      ],
    ],
    // oxlint-disable-next-line react/exhaustive-deps -- each answer brings new arrays; what is drawn follows from what is in them
    [key, palette],
  )
  const sum = (last: number) => days.slice(-last).reduce((all, { revenueCents }) => all + revenueCents, 0)
  return (
    <Tile title="近 30 日趋势" span={trend} formula="每日总收益与应收 A，与每日统计逐日相同；今日尚未结束。单位：元。" rows={daily} className="tile-chart">
      <p className="screen-counts">
        近 7 日 <b>{yuanText(sum(7))}</b> 元 · 近 30 日 <b>{yuanText(sum(30))}</b> 元
      </p>
      <LazyChart label="近 30 日每日总收益与应收" names={names} series={series} palette={palette} size={caption} unit="元" text={axisText} />
    </Tile>
  )
}

/** 服务区排行. */
export function AreasTile({ areas, drawing, most }: { areas: RevenueScreen['areas']; drawing: Drawing; most: number }) {
  const bars = areas.rows.slice(0, most).map((row) => ({ label: row.name ?? `服务区 ${row.id}`, value: row.dueCents, color: drawing.palette.accent }))
  return (
    <Tile title="服务区排行" span={areas} formula="今日各服务区的应收 A，由多到少。单位：元。" rows={daily}>
      {bars.length === 0 ? <p className="screen-none">今日还没有应收</p> : <Bars bars={bars} text={yuanText} />}
    </Tile>
  )
}

/** 代理排行. */
export function AgentsTile({ agents, drawing, most }: { agents: RevenueScreen['agents']; drawing: Drawing; most: number }) {
  const bars = agents.rows.slice(0, most).map((row) => ({ label: row.company ?? `代理 ${row.id}`, value: row.revenueCents, color: drawing.palette.accent }))
  return (
    <Tile title="代理排行" span={agents} formula="今日各代理的总收益，含不属于任何服务区的充值等，由多到少。单位：元。" rows={daily}>
      {bars.length === 0 ? <p className="screen-none">今日还没有收益</p> : <Bars bars={bars} text={yuanText} />}
    </Tile>
  )
}

/** 异常: what stands out. */
export function SurgesTile({ surges }: { surges: RevenueScreen['surges'] }) {
  return (
    <Tile title="异常" span={surges} formula="退款突增：今日退款不少于 100 元，且超过前 7 日日均的 3 倍。停收：刚过去的一小时没有实收，而昨日与上周同日同一小时都不少于 10 元。" rows={daily}>
      {surges.rows.length === 0 ? (
        <p className="screen-none">没有发现异常</p>
      ) : (
        <ul className="screen-lines">
          {surges.rows.map((row) => (
            <li key={row.kind} className="urgent">
              <span className="line-mark">{row.kind === 'refunds' ? '退款突增' : '停收'}</span>
              <span className="line-main">
                {row.kind === 'refunds'
                  ? `今日 ${yuanText(row.todayCents)} 元，日均 ${yuanText(row.usualCents)} 元`
                  : `${countText(row.hour)} 时无实收，昨日 ${yuanText(row.yesterdayCents)} 元`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Tile>
  )
}

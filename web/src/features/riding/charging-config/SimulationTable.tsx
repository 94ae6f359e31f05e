import { queryOptions, useQuery } from '@tanstack/react-query'
import { Skeleton } from 'antd'
import { api } from '@/api/client'
import { formatMoney, formatTime } from '@/kit/format'
import { LoadFailure } from '@/kit/LoadFailure'
import { Money } from '@/kit/Money'
import type { Billing } from './config'
import '@/kit/versions/versions.css'

const SIMULATE_PATH = '/config/area/billing/simulate'

const simulation = (opAreaId: string, billing: Billing) =>
  queryOptions({
    queryKey: [SIMULATE_PATH, opAreaId, billing],
    queryFn: ({ signal }) => api.post(SIMULATE_PATH, { opAreaId, billing }, { signal, quiet: true }),
    staleTime: 60_000,
  })

const count = (value: number) => value.toLocaleString('zh-CN')
const minutes = (time_s: number) => `${Math.round(time_s / 6) / 10} 分钟`

/** What a billing would have made of the rides of the last seven days. */
export function SimulationTable({ areaId, billing }: { areaId: string; billing: Billing }) {
  const query = useQuery(simulation(areaId, billing))
  if (query.isLoading) return <Skeleton active paragraph={{ rows: 3 }} title={false} />
  if (query.isError || !query.data) return <LoadFailure query={query} text="近 7 天订单的模拟失败" />
  const { days, rides, capped, more, less, before, after, most } = query.data
  if (rides === 0) return <p className="weak">近 {days} 天这里没有结束的订单，无从比较。</p>
  const rows = [
    { label: '应收', before: before.payCents, after: after.payCents },
    { label: '待人工确认', before: before.heldBackCents, after: after.heldBackCents },
    { label: `还车费用（${count(before.penalties)} → ${count(after.penalties)} 单）`, before: before.penaltyCents, after: after.penaltyCents },
  ]
  return (
    <section aria-label="订单模拟" className="simulation">
      <p>
        近 {days} 天结束的 <strong className="figure">{count(rides)}</strong> 单{capped ? '（最近的，更早的没有计算）' : ''}，若按草稿计费：
        <strong className="figure"> {count(more)} </strong>单变贵，
        <strong className="figure"> {count(less)} </strong>单变便宜，
        <strong className="figure"> {count(rides - more - less)} </strong>单不变。
      </p>
      <table className="simulation-sums">
        <thead>
          <tr>
            <th scope="col">金额（元）</th>
            <th scope="col">现在</th>
            <th scope="col">发布后</th>
            <th scope="col">相差</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.label}>
              <th scope="row">{row.label}</th>
              <td>
                <Money cents={row.before} />
              </td>
              <td>
                <Money cents={row.after} />
              </td>
              <td className="figure">{row.after === row.before ? '不变' : `${row.after > row.before ? '+' : ''}${formatMoney(row.after - row.before)}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {most.length > 0 && (
        <details>
          <summary>变化最大的 {most.length} 单</summary>
          <table className="simulation-sums">
            <thead>
              <tr>
                <th scope="col">订单</th>
                <th scope="col">骑行</th>
                <th scope="col">现在</th>
                <th scope="col">发布后</th>
              </tr>
            </thead>
            <tbody>
              {most.map(({ orderId, startAt, ridingS, distanceM, beforeCents, afterCents }) => (
                <tr key={orderId}>
                  <th scope="row">
                    <span className="figure">{orderId}</span>
                    <br />
                    <span className="weak figure">{formatTime(startAt)}</span>
                  </th>
                  <td className="figure">
                    {minutes(ridingS)}，{count(distanceM)} 米
                  </td>
                  <td>
                    <Money cents={beforeCents} />
                  </td>
                  <td>
                    <Money cents={afterCents} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
      <p className="weak">按订单当时的时长、里程、还车位置和优惠重新计算；改价和退款不计在内。</p>
    </section>
  )
}

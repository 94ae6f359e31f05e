import { queryOptions, useQuery } from '@tanstack/react-query'
import { Skeleton } from 'antd'
import type { ReactNode } from 'react'
import { api } from '@/api/client'
import type { DataOf } from '@/api/shapes'
import { formatMoney } from '@/kit/format'
import { LoadFailure } from '@/kit/LoadFailure'
import { Money } from '@/kit/Money'
import { CARD_PATH, type Card } from './card'
import '@/kit/versions/versions.css'

const SIMULATION_PATH = `${CARD_PATH}/simulation` as const
type Worth = DataOf<typeof SIMULATION_PATH>['written']

const simulation = (id: string, version: number) =>
  queryOptions({
    queryKey: [SIMULATION_PATH, id, version],
    queryFn: ({ signal }) => api.get(SIMULATION_PATH, { id }, { signal, quiet: true }),
    staleTime: 60_000,
  })

const count = (value: number) => value.toLocaleString('zh-CN')
const signed = (cents: number) => `${cents > 0 ? '+' : ''}${formatMoney(cents)}`

const lines: readonly { label: string; shown: (worth: Worth) => ReactNode }[] = [
  { label: '售价（元）', shown: ({ priceCents }) => <Money cents={priceCents} /> },
  { label: '能用上的用户', shown: ({ riders }) => count(riders) },
  { label: '其中买了划算的', shown: ({ buyers }) => count(buyers) },
  { label: '他们少付的车费（元）', shown: ({ savedCents }) => <Money cents={savedCents} /> },
  { label: '卡收入（元）', shown: ({ soldCents }) => <Money cents={soldCents} /> },
  { label: '收入变化（元）', shown: ({ soldCents, savedCents }) => <strong>{signed(soldCents - savedCents)}</strong> },
]

/** What a card would have been worth to the riders of the last days, as it is written and as it counts. */
export function CardSimulation({ card }: { card: Pick<Card, 'id' | 'version'> }) {
  const query = useQuery(simulation(card.id, card.version))
  if (query.isLoading) return <Skeleton active paragraph={{ rows: 3 }} title={false} />
  if (query.isError || !query.data) return <LoadFailure query={query} text="近 30 天订单的模拟失败" />
  const { days, rides, riders, written, counts } = query.data
  if (rides === 0) return <p className="weak">近 {days} 天适用服务区没有骑行，无从比较。</p>
  return (
    <section aria-label="卡模拟" className="simulation">
      <p>
        近 {days} 天，适用服务区有 <strong className="figure">{count(riders)}</strong> 位用户骑行
        <strong className="figure"> {count(rides)} </strong>
        次。若每位觉得划算的用户都从第一次骑行起持有这张卡：
      </p>
      <table className="simulation-sums">
        <thead>
          <tr>
            <th scope="col">近 {days} 天</th>
            {counts && <th scope="col">现在</th>}
            <th scope="col">发布后</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ label, shown }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              {counts && <td className="figure">{shown(counts)}</td>}
              <td className="figure">{shown(written)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="weak">车费按没有任何卡时计算；有效期比 {days} 天长的卡，售价按天折算；退款、改价不计在内。</p>
    </section>
  )
}

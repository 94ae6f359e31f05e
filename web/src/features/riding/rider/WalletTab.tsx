import { useQuery } from '@tanstack/react-query'
import { DatePicker, Skeleton } from 'antd'
import type { Dayjs } from 'dayjs'
import { lazy, Suspense, useMemo, useState } from 'react'
import { Facts } from '@/kit/Facts'
import { formatTime } from '@/kit/format'
import { LoadFailure } from '@/kit/LoadFailure'
import { ListPage } from '@/kit/list/ListPage'
import { Money } from '@/kit/Money'
import { recordsOf } from './description'
import { balancesOf, walletAt, type WalletRecord } from './rider'
import '@/kit/statistics/statistics.css'

const TrendChart = lazy(() => import('@/kit/statistics/TrendChart'))

/** 钱包流水: each entry, how the balance went, and what it was at some moment. */
export function WalletTab({ userId }: { userId: string }) {
  const description = useMemo(() => recordsOf(userId), [userId])
  return (
    <>
      <BalanceAt userId={userId} />
      <ListPage<WalletRecord> description={description} above={({ rows }) => <BalanceCurve rows={rows} />} />
    </>
  )
}

/** How the balance went over the entries that are shown. */
function BalanceCurve({ rows }: { rows: readonly WalletRecord[] }) {
  const points = useMemo(() => balancesOf(rows), [rows])
  if (points.length < 2) return null
  const names = points.map(({ at_ms }) => formatTime(at_ms).slice(5, 16))
  return (
    <div className="rider-curve">
      <Suspense fallback={<Skeleton active paragraph={{ rows: 4 }} />}>
        <TrendChart
          label={`钱包余额，${names[0]} 至 ${names.at(-1)}；下表列出每一笔`}
          names={names}
          lines={[{ title: '变动后余额', unit: '元', percent: false, values: points.map(({ yuan }) => yuan) }]}
        />
      </Suspense>
    </div>
  )
}

/** 某一时刻的余额. */
function BalanceAt({ userId }: { userId: string }) {
  const [at, setAt] = useState<Dayjs | null>(null)
  return (
    <section className="rider-at" aria-label="某一时刻的余额">
      <span>某一时刻的余额</span>
      <DatePicker showTime value={at} onChange={setAt} format="YYYY-MM-DD HH:mm:ss" placeholder="选择时间" aria-label="时刻" />
      {at && <HeldAt userId={userId} at={at.format('YYYY-MM-DD HH:mm:ss')} />}
    </section>
  )
}

function HeldAt({ userId, at }: { userId: string; at: string }) {
  const query = useQuery(walletAt(userId, at))
  if (query.isError) return <LoadFailure query={query} text="余额加载失败" />
  if (!query.data) return <Skeleton active title={false} paragraph={{ rows: 1 }} />
  const { balanceCents, rechargeCents, presentCents, owedCents } = query.data
  const fact = (name: string, cents: number) => ({
    name,
    value: (
      <>
        <Money cents={cents} /> 元
      </>
    ),
  })
  return <Facts facts={[fact('余额', balanceCents), fact('其中充值', rechargeCents), fact('其中赠送', presentCents), fact('欠款', owedCents)]} />
}

import { useQuery } from '@tanstack/react-query'
import { Skeleton } from 'antd'
import { useState } from 'react'
import { command } from '@/api/client'
import { areasOf } from '@/kit/areaChoices'
import { formatMoney } from '@/kit/format'
import { LoadFailure } from '@/kit/LoadFailure'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { Changes } from '@/kit/versions/Changes'
import { newestOf, rollBackTo, VersionList, withdrawal } from '@/kit/versions/VersionList'
import { type Card, CARD_PATH, cardVersions, differencesOf, stale } from './card'

const BACK = '立即按这一版的价格和内容售卖；已购买的卡不变。'

/** All versions of a card, newest first: when each was sold, what it changed, and the way back to it. */
export function CardVersions({ card }: { card: Pick<Card, 'id' | 'name' | 'version' | 'agentId'> }) {
  const { id, name, version } = card
  const [compared, setCompared] = useState<number | null>(null)
  const query = useQuery(cardVersions(id, version))
  const areas = useQuery(areasOf([card.agentId]))
  const rollBack = useAskedCommand({ run: command.post(`${CARD_PATH}/rollback`), stale, done: '已回滚' })
  const withdraw = useAskedCommand({ run: command.post(`${CARD_PATH}/withdraw`), stale, done: '已撤回，内容保留为草稿' })
  if (query.isLoading) return <Skeleton active />
  if (query.isError) return <LoadFailure query={query} text="版本加载失败" />
  const { rows, at_ms } = query.data ?? { rows: [], at_ms: 0 }
  const areaName = (area: string) => areas.data?.find((one) => one.id === area)?.name ?? area
  const newest = newestOf(rows, (row) => row)
  const old = rows.find(({ dataVersion }) => dataVersion === compared)
  return (
    <>
      {newest && old && (
        <section aria-label="对比">
          <p className="weak">
            第 {old.dataVersion} 版 → 第 {newest.dataVersion} 版
          </p>
          <Changes changes={differencesOf(old, newest, areaName)} />
        </section>
      )}
      <VersionList
        rows={rows}
        at_ms={at_ms}
        countedOf={(row) => row}
        changesOf={(row, before) => (before ? differencesOf(before, row, areaName) : [`首次发布，售价 ${formatMoney(row.priceCents)} 元`])}
        compared={compared}
        onCompare={setCompared}
        onRollBack={(number) => rollBack({ id, number, version }, rollBackTo(number, name ?? '', BACK))}
        onWithdraw={(number) => withdraw({ id, number, version }, withdrawal(number, name ?? ''))}
        emptyText="还没有发布过；发布后每个版本都留在这里"
      />
    </>
  )
}

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { serverNow } from '@/api/clock'
import { areasOf } from '@/kit/areaChoices'
import { useListAddress } from '@/kit/list/address'
import { ListPage } from '@/kit/list/ListPage'
import { queryOf } from '@/kit/list/times'
import { StatisticsHead } from '@/kit/statistics/StatisticsHead'
import { stationList, stationStatistics } from './description'
import { answerOf, scopeOf, type Station } from './station'
import { StationDrawer } from './StationDrawer'

/** 站点统计: how full parking places were and are, what came and went, who leads. */
export default function StationStatisticsPage() {
  const areas = useQuery(areasOf([]))
  const description = useMemo(() => stationList((areas.data ?? []).map(({ id, name }) => ({ value: id, label: name }))), [areas.data])
  const sorts = useMemo(() => description.columns.flatMap(({ sort }) => sort ?? []), [description])
  const [{ filters }, setAddress] = useListAddress(description.filters, sorts)
  const named = (filters.opAreaIds ?? '').split(',').flatMap((id) => areas.data?.find((area) => area.id === id)?.name ?? [])
  const whose = named.length === 0 ? '权限内的全部服务区' : named.join('、')
  return (
    <ListPage<Station>
      description={description}
      above={(rows) => {
        const answer = answerOf(rows)
        return <StatisticsHead statistics={stationStatistics} answer={answer} scope={scopeOf(answer, whose)} onOpen={(open) => setAddress({ open })} />
      }}
      drawer={(id, close) => <StationDrawer id={id} asked={queryOf(description.filters, filters, serverNow())} onClose={close} />}
    />
  )
}

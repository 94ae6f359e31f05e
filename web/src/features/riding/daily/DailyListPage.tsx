import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { serverNow } from '@/api/clock'
import { agentsBy, areasOf } from '@/kit/areaChoices'
import { useListAddress } from '@/kit/list/address'
import { ListPage } from '@/kit/list/ListPage'
import { queryOf } from '@/kit/list/times'
import { usePermit } from '@/kit/Permit'
import { StatisticsHead } from '@/kit/statistics/StatisticsHead'
import { answerOf, type Daily, scopeOf } from './daily'
import { DayDrawer } from './DayDrawer'
import { dailyList, dailyStatistics } from './description'

/** Who may list agents. */
const AGENTS = '01'

/** Revenue day by day, against the days before. */
export default function DailyListPage() {
  const areas = useQuery(areasOf([]))
  const mayAgents = usePermit(AGENTS)
  const agents = useQuery({ ...agentsBy('/platform/agent/account/list'), enabled: mayAgents })
  const description = useMemo(() => {
    const ofAreas = (areas.data ?? []).map(({ id, name }) => ({ value: id, label: name }))
    const ofAgents = (agents.data ?? []).map(({ agentId, company }) => ({ value: agentId, label: company }))
    return dailyList(ofAreas, mayAgents ? ofAgents : null)
  }, [areas.data, agents.data, mayAgents])
  const sorts = useMemo(() => description.columns.flatMap(({ sort }) => sort ?? []), [description])
  const [{ filters }, setAddress] = useListAddress(description.filters, sorts)
  const named = (filters.opAreaIds ?? '').split(',').flatMap((id) => areas.data?.find((area) => area.id === id)?.name ?? [])
  const agent = agents.data?.find(({ agentId }) => agentId === filters.agentId)?.company
  const whose = named.length === 0 ? (agent ?? '权限内的全部服务区') : named.join('、')
  return (
    <ListPage<Daily>
      description={description}
      above={(rows) => {
        const answer = answerOf(rows)
        const narrow = (opAreaIds: string) => setAddress({ filters: { ...filters, opAreaIds }, page: 1 })
        return <StatisticsHead statistics={dailyStatistics} answer={answer} scope={scopeOf(answer, whose)} onOpen={narrow} />
      }}
      drawer={(day, close) => <DayDrawer day={day} whose={whose} asked={queryOf(description.filters, filters, serverNow())} onClose={close} />}
    />
  )
}

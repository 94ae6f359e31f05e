import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { ListPage } from '@/kit/list/ListPage'
import { agentChoices } from '@/kit/areaChoices'
import { type Area, CLOSED } from './area'
import { AreaDrawer } from './AreaDrawer'
import { areaList } from './description'
import { HandOverDialog } from './HandOverDialog'
import { StopDialog } from './StopDialog'
import { useAreaActs } from './useAreaActs'

/** 服务区管理: which areas there are, who runs them, and whether they serve riders. */
export default function AreaListPage() {
  const [handing, setHanding] = useState<Area | null>(null)
  const [stopping, setStopping] = useState<Area | null>(null)
  const agents = useQuery(agentChoices)
  const description = useMemo(
    () => areaList((agents.data ?? []).map((row) => ({ value: row.agentId, label: row.company }))),
    [agents.data],
  )
  const rowActions = useAreaActs(setHanding, setStopping)
  return (
    <>
      <ListPage<Area>
        description={description}
        editable={(area) => (area.state === CLOSED ? '已关停的服务区不能修改' : undefined)}
        rowActions={rowActions}
        drawer={(id, close) => <AreaDrawer id={id} onClose={close} />}
      />
      {stopping && <StopDialog area={stopping} onClose={() => setStopping(null)} />}
      {handing && <HandOverDialog area={handing} onClose={() => setHanding(null)} />}
    </>
  )
}

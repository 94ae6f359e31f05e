import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { ListPage, type RowAction } from '@/kit/list/ListPage'
import { agentChoices } from '@/kit/agentChoices'
import { type Area, CLOSED, closeFault, handOverFault, OPEN, openFault, SUSPENDED } from './area'
import { AreaDrawer } from './AreaDrawer'
import { areaList } from './description'
import { HandOverDialog } from './HandOverDialog'
import { useAreaActs } from './useAreaCommands'

/** 服务区管理: which areas there are, who runs them, and whether they serve riders. */
export default function AreaListPage() {
  const [handing, setHanding] = useState<Area | null>(null)
  const agents = useQuery(agentChoices)
  const description = useMemo(
    () => areaList((agents.data?.rows ?? []).map((row) => ({ value: row.agentId, label: row.company }))),
    [agents.data],
  )
  const acts = useAreaActs()
  const action = (key: string, label: string, fault: string | null, onRun: () => void, danger = false): RowAction => ({
    key,
    label,
    danger,
    ...(fault === null ? {} : { unavailable: fault }),
    onRun,
  })
  const rowActions = (area: Area) => [
    area.state === OPEN
      ? action('suspend', '暂停', null, () => acts.suspend(area))
      : action('open', area.state === SUSPENDED ? '恢复' : '开通', openFault(area), () => acts.open(area)),
    action('hand-over', '移交给其他代理', handOverFault(area), () => setHanding(area)),
    action('close', '关停', closeFault(area), () => acts.close(area), true),
  ]
  return (
    <>
      <ListPage<Area>
        description={description}
        editable={(area) => (area.state === CLOSED ? '已关停的服务区不能修改' : undefined)}
        rowActions={rowActions}
        drawer={(id, close) => <AreaDrawer id={id} onClose={close} />}
      />
      {handing && <HandOverDialog area={handing} onClose={() => setHanding(null)} />}
    </>
  )
}

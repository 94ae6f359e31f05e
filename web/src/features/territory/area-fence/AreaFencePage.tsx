import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { agentChoices } from '@/kit/areaChoices'
import { ListPage } from '@/kit/list/ListPage'
import { CLOSED } from '../area/area'
import type { AreaFence } from './areaFence'
import { AreaFenceDrawer } from './AreaFenceDrawer'
import { DrawAreaForm } from './AreaFenceForm'
import { areaFenceList } from './description'

/** 服务区围栏: the edges of service areas, drawn, drawn anew and rolled back. */
export default function AreaFencePage() {
  const agents = useQuery(agentChoices)
  const description = useMemo(() => areaFenceList((agents.data ?? []).map((row) => ({ value: row.agentId, label: row.company }))), [agents.data])
  return (
    <ListPage<AreaFence>
      description={description}
      add={{ text: '新增服务区', form: (close) => <DrawAreaForm onSaved={close} /> }}
      editable={(area) => (area.state === CLOSED ? '已关停的服务区不能修改' : undefined)}
      drawer={(id, close) => <AreaFenceDrawer id={id} onClose={close} />}
    />
  )
}

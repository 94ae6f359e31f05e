import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { command } from '@/api/client'
import { serverNow } from '@/api/clock'
import { areasOf } from '@/kit/areaChoices'
import { ListPage, type RowAction } from '@/kit/list/ListPage'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { PublishDialog } from '../fence/PublishDialog'
import { CREW_PATH, type MaintenanceArea, stale } from './crew'
import { CrewDrawer } from './CrewDrawer'
import { CrewForm } from './CrewForm'
import { crewList } from './description'

/** 区域管理: who looks after which part of a service area, and how soon. */
export default function CrewListPage() {
  const areas = useQuery(areasOf([]))
  const [at] = useState(serverNow)
  const [publishing, setPublishing] = useState<MaintenanceArea | null>(null)
  const description = useMemo(() => crewList((areas.data ?? []).map(({ id, name }) => ({ value: id, label: name })), at), [areas.data, at])
  const discard = useAskedCommand({ run: command.post('/fence/discard'), stale, done: '草稿已丢弃' })
  const remove = useAskedCommand({ run: command.delete(CREW_PATH), stale, done: '运维区已删除' })
  const rowActions = (area: MaintenanceArea): RowAction[] => {
    const { id, name, version, fenceVersion, dataVersion, hasDraft } = area
    return [
      { key: 'publish', label: '发布', unavailable: hasDraft ? undefined : '没有草稿可以发布', onRun: () => setPublishing(area) },
      ...(hasDraft && dataVersion > 0
        ? [
            {
              key: 'discard',
              label: '丢弃草稿',
              danger: true,
              onRun: () => discard({ id, version: fenceVersion }, { act: '丢弃草稿', name, consequence: '未发布的边界会丢失；已发布的版本和人员不受影响。' }),
            },
          ]
        : []),
      {
        key: 'delete',
        label: '删除',
        danger: true,
        onRun: () => remove({ id, version }, { act: '删除运维区', name, consequence: '立即不再有人负责，不能恢复；其中的站点和车辆变为未分区，直到划入别的运维区。' }),
      },
    ]
  }
  return (
    <>
      <ListPage<MaintenanceArea>
        description={description}
        add={{ text: '新增运维区', form: (close) => <CrewForm onSaved={close} /> }}
        editable
        rowActions={rowActions}
        drawer={(id, close) => <CrewDrawer id={id} onClose={close} />}
      />
      {publishing && <PublishDialog fence={{ ...publishing, version: publishing.fenceVersion }} onClose={() => setPublishing(null)} />}
    </>
  )
}

import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api, type CallOptions, command } from '@/api/client'
import { serverNow } from '@/api/clock'
import { areasOf } from '@/kit/areaChoices'
import type { FilterOption, ListDescription } from '@/kit/list/description'
import { ListPage, type RowAction } from '@/kit/list/ListPage'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { type Fence, FENCE_PATH, type FenceType, formatArea, stageOf, stale, typeLabels } from './fence'
import { FenceDrawer } from './FenceDrawer'
import { FenceForm } from './FenceForm'
import { PublishDialog } from './PublishDialog'

const purposes: Partial<Record<FenceType, string>> = {
  parking: '还车要停进停车区；修改先存草稿，发布后生效，每个版本都保留，随时可以回滚。',
  noStop: '停在禁停区会被收取违停费用；修改先存草稿，发布后生效，每个版本都保留，随时可以回滚。',
}

function fenceList(type: FenceType, title: string, areas: readonly FilterOption[], at_ms: number): ListDescription<Fence> {
  return {
    id: `fence-${type}`,
    title,
    purpose: purposes[type] ?? '',
    path: FENCE_PATH,
    fixed: { type },
    exported: true,
    table: 'fence',
    rowKey: (fence) => fence.id,
    emptyText: `还没有${typeLabels[type]}，先在地图上画第一个`,
    filters: [
      { kind: 'text', name: 'keyword', label: '关键词', placeholder: '名称' },
      { kind: 'select', name: 'opAreaId', label: '服务区', options: areas },
      {
        kind: 'select',
        name: 'state',
        label: '启停',
        options: [
          { value: '1', label: '启用' },
          { value: '0', label: '停用' },
        ],
      },
    ],
    columns: [
      { key: 'name', title: '名称', width: 170, strong: true, text: (fence) => fence.name },
      { kind: 'choice', key: 'state', title: '状态', width: 96, value: (fence) => stageOf(fence, at_ms) },
      { key: 'areaName', title: '服务区', width: 150, text: (fence) => fence.areaName },
      ...(type === 'parking' ? [{ kind: 'count' as const, key: 'capacity', title: '停放上限', value: (fence: Fence) => fence.capacity }] : []),
      { key: 'areaM2', title: '面积', width: 110, align: 'right', text: (fence) => formatArea(fence.areaM2) },
      { kind: 'count', key: 'countsVersion', title: '生效版本', value: (fence) => fence.countsVersion },
      { key: 'draft', title: '草稿', width: 76, text: (fence) => (fence.hasDraft ? '有' : '') },
      { key: 'tags', title: '标签', width: 130, text: (fence) => fence.tags.join('、') },
      { kind: 'time', key: 'updatedAt', title: '更新时间', value: (fence) => fence.updatedAt },
      { kind: 'time', key: 'untilAt', title: '失效时间', optional: true, none: '一直有效', value: (fence) => fence.untilAt },
      { key: 'remark', title: '备注', width: 160, optional: true, text: (fence) => fence.remark },
      { key: 'id', title: '围栏编号', width: 170, optional: true, text: (fence) => fence.id },
    ],
  }
}

/** The fences of one type, and what may be done with them. */
export function FenceList({ type, title }: { type: FenceType; title: string }) {
  const areas = useQuery(areasOf([]))
  const [at] = useState(serverNow)
  const [publishing, setPublishing] = useState<Fence | null>(null)
  const description = useMemo(
    () => fenceList(type, title, (areas.data ?? []).map(({ id, name }) => ({ value: id, label: name })), at),
    [type, title, areas.data, at],
  )
  const setState = useAskedCommand({ run: command.post('/fence/state'), stale, done: '围栏已更新' })
  const discard = useAskedCommand({ run: command.post('/fence/discard'), stale, done: '草稿已丢弃' })
  const remove = useAskedCommand({
    run: ({ id, version }: { id: string; version: number }, options: CallOptions) => api.delete('/fence/{id}', { version }, { path: { id }, ...options }),
    stale,
    done: '围栏已删除',
  })
  const rowActions = (fence: Fence): RowAction[] => {
    const { id, name, version, state, dataVersion, hasDraft } = fence
    const disable = {
      key: 'disable',
      label: '停用',
      danger: true,
      onRun: () => setState({ id, state: 0 }, { act: `停用${typeLabels[type]}`, name, consequence: '立即不再用来判断还车；以前的还车不受影响，可以再启用。' }),
    }
    const enable = {
      key: 'enable',
      label: '启用',
      onRun: () => setState({ id, state: 1 }, { act: `启用${typeLabels[type]}`, name, consequence: '立即重新用来判断还车。' }),
    }
    return [
      { key: 'publish', label: '发布', unavailable: hasDraft ? undefined : '没有草稿可以发布', onRun: () => setPublishing(fence) },
      ...(dataVersion === 0 ? [] : [state === 1 ? disable : enable]),
      ...(hasDraft && dataVersion > 0
        ? [{ key: 'discard', label: '丢弃草稿', danger: true, onRun: () => discard({ id, version }, { act: '丢弃草稿', name, consequence: '未发布的修改会丢失；已发布的版本不受影响。' }) }]
        : []),
      {
        key: 'delete',
        label: '删除',
        danger: true,
        onRun: () => remove({ id, version }, { act: `删除${typeLabels[type]}`, name, consequence: '立即不再用来判断还车，不能恢复；以前的还车仍按当时的版本判断。' }),
      },
    ]
  }
  return (
    <>
      <ListPage<Fence>
        description={description}
        add={{ text: `新增${typeLabels[type]}`, form: (close) => <FenceForm type={type} onSaved={close} /> }}
        editable
        rowActions={rowActions}
        drawer={(id, close) => <FenceDrawer id={id} onClose={close} />}
      />
      {publishing && <PublishDialog fence={publishing} onClose={() => setPublishing(null)} />}
    </>
  )
}

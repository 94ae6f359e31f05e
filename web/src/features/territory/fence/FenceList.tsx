import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { api, type CallOptions, command } from '@/api/client'
import { serverNow } from '@/api/clock'
import { areasOf } from '@/kit/areaChoices'
import type { Column, FilterOption, ListDescription } from '@/kit/list/description'
import { ListPage, type RowAction } from '@/kit/list/ListPage'
import { useAskedCommand } from '@/kit/useAskedCommand'
import { BatchOfMarked, BatchTools } from './batch/BatchTools'
import { FENCES_MOST } from './batch/change'
import { COPIES_MOST } from './copy'
import { type Fence, FENCE_PATH, type FenceTypes, formatArea, stageOf, stale, typeLabels } from './fence'
import { FenceDrawer } from './FenceDrawer'
import { FenceForm } from './FenceForm'
import { FenceTools } from './FenceTools'
import { asked, useOverlapAsked } from './overlap'
import { PublishDialog } from './PublishDialog'

// The map comes with the dialog, not with the list.
const CopyDialog = lazy(() => import('./CopyDialog'))

const HOW = '修改先存草稿，发布后生效，每个版本都保留，随时可以回滚。'
const PARKING_PURPOSE = `还车要停进停车区；${HOW}`
const ZONE_PURPOSE = `停在禁停区、骑进禁行区会被收取违停费用，自定义区只作标记；${HOW}`

function fenceList(types: FenceTypes, title: string, areas: readonly FilterOption[], at_ms: number): ListDescription<Fence> {
  const [first] = types
  const several = types.length > 1
  const capacity: Column<Fence, never> = { kind: 'count', key: 'capacity', title: '停放上限', value: (fence) => fence.capacity }
  const type: Column<Fence, never> = { key: 'type', title: '类型', width: 96, text: (fence) => typeLabels[fence.type] }
  return {
    id: `fence-${first}`,
    title,
    purpose: first === 'parking' ? PARKING_PURPOSE : ZONE_PURPOSE,
    path: FENCE_PATH,
    fixed: { type: types.join(',') },
    exported: true,
    table: 'fence',
    rowKey: (fence) => fence.id,
    emptyText: `还没有${typeLabels[first]}，先在地图上画第一个`,
    filters: [
      { kind: 'text', name: 'keyword', label: '关键词', placeholder: '名称' },
      { kind: 'select', name: 'opAreaId', label: '服务区', options: areas },
      ...(several ? [{ kind: 'several' as const, name: 'type' as const, label: '类型', options: types.map((value) => ({ value, label: typeLabels[value] })) }] : []),
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
      ...(several ? [type] : []),
      { kind: 'choice', key: 'state', title: '状态', width: 96, value: (fence) => stageOf(fence, at_ms) },
      { key: 'areaName', title: '服务区', width: 150, text: (fence) => fence.areaName },
      ...(first === 'parking' ? [capacity] : []),
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

/** The fences of some types, and what may be done with them. */
export function FenceList({ types, title }: { types: FenceTypes; title: string }) {
  const areas = useQuery(areasOf([]))
  const [at] = useState(serverNow)
  const [publishing, setPublishing] = useState<Fence | null>(null)
  const [copying, setCopying] = useState<{ fences: readonly Fence[]; done?: () => void } | null>(null)
  const [adjusting, setAdjusting] = useState<{ fences: readonly Fence[]; done: () => void } | null>(null)
  const parkings = types.length === 1 && types[0] === 'parking'
  const description = useMemo(
    () => fenceList(types, title, (areas.data ?? []).map(({ id, name }) => ({ value: id, label: name })), at),
    [types, title, areas.data, at],
  )
  const setState = useAskedCommand({ run: useOverlapAsked(command.post('/fence/state')), stale, done: '围栏已更新', fieldOf: asked })
  const discard = useAskedCommand({ run: command.post('/fence/discard'), stale, done: '草稿已丢弃' })
  const remove = useAskedCommand({
    run: ({ id, version }: { id: string; version: number }, options: CallOptions) => api.delete('/fence/{id}', { version }, { path: { id }, ...options }),
    stale,
    done: '围栏已删除',
  })
  const rowActions = (fence: Fence): RowAction[] => {
    const { id, name, type, version, state, dataVersion, hasDraft } = fence
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
      { key: 'copy', label: '复制到服务区', onRun: () => setCopying({ fences: [fence] }) },
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
        add={{ text: types.length > 1 ? '新增围栏' : `新增${typeLabels[types[0]]}`, form: (close) => <FenceForm types={types} onSaved={close} /> }}
        tools={(asked) => (
          <>
            <FenceTools types={types} title={title} asked={asked} />
            {parkings && <BatchTools asked={asked} />}
          </>
        )}
        editable
        rowActions={rowActions}
        batchActions={[
          ...(parkings
            ? [
                {
                  key: 'batch',
                  label: '批量修改',
                  unavailable: ({ length }: readonly Fence[]) => (length > FENCES_MOST ? `一次最多修改 ${FENCES_MOST} 个` : undefined),
                  onRun: (fences: Fence[], done: () => void) => setAdjusting({ fences, done }),
                },
              ]
            : []),
          {
            key: 'copy',
            label: '复制到服务区',
            unavailable: ({ length }) => (length > COPIES_MOST ? `一次最多复制 ${COPIES_MOST} 个` : undefined),
            onRun: (fences, done) => setCopying({ fences, done }),
          },
        ]}
        drawer={(id, close) => <FenceDrawer id={id} onClose={close} />}
      />
      {copying && (
        <Suspense fallback={null}>
          <CopyDialog fences={copying.fences} onCopied={copying.done} onClose={() => setCopying(null)} />
        </Suspense>
      )}
      {adjusting && <BatchOfMarked fences={adjusting.fences} onDone={adjusting.done} onClose={() => setAdjusting(null)} />}
      {publishing && <PublishDialog fence={publishing} onClose={() => setPublishing(null)} />}
    </>
  )
}

import { Switch } from 'antd'
import { useState } from 'react'
import { HttpError } from '@/api/client'
import { ListPage } from '@/kit/list/ListPage'
import { ListTable, tableColumns } from '@/kit/list/ListTable'
import type { ListSettings } from '@/kit/list/settings'
import { Toolbar } from '@/kit/list/Toolbar'
import { useCodes } from '@/kit/permission/held'
import { useDangerousConfirm } from '@/kit/useDangerousConfirm'
import { type Sample, sampleList, samplePage, samples } from './samples'
import { State } from './State'

const CODE = '0901'
const FRESH_MS = Date.UTC(2026, 10, 21, 4)
const shown = ['name', 'state', 'paid', 'at']
const columns = tableColumns(sampleList.columns, shown)
const refetch = () => Promise.resolve()
const rows = samples.slice(0, 3)

type Query = Parameters<typeof ListTable<Sample>>[0]['query']

const usual: Query = { data: { rows: [...rows], count: rows.length }, error: null, isLoading: false, isPlaceholderData: false, refetch }
const empty: Query = { ...usual, data: { rows: [], count: 0 } }
const without = (error: Error): Query => ({ ...usual, data: undefined, error })

const tables: readonly { name: string; query: Query; narrowed?: boolean; stale?: boolean; marked?: readonly string[] }[] = [
  { name: '加载中', query: { ...usual, data: undefined, isLoading: true } },
  { name: '空', query: empty },
  { name: '筛选后为空', query: empty, narrowed: true },
  { name: '加载失败', query: without(new HttpError(500, '')) },
  { name: '没有网络', query: without(new HttpError(0, '')) },
  { name: '没有权限', query: without(new HttpError(403, '')) },
  { name: '数据已旧', query: usual, stale: true },
  { name: '刚刚变化的行', query: usual, marked: rows.slice(1, 2).map(({ id }) => id) },
]

const toolbars: readonly { name: string; stale?: string; updates?: number; refreshing?: boolean }[] = [
  { name: '最新' },
  { name: '有更新', updates: 3 },
  { name: '很多更新', updates: 512 },
  { name: '连接断开', stale: '实时连接已断开' },
  { name: '正在刷新', refreshing: true },
]

/** The list with everything, and each of its states. */
export function ListStates() {
  const [may, setMay] = useState(true)
  const ask = useDangerousConfirm()
  const permit = (held: boolean) => {
    setMay(held)
    useCodes.setState(new Set(held ? [CODE] : []), true)
  }
  const [settings, setSettings] = useState<ListSettings>({ density: 'middle', shown })
  return (
    <>
      <p>
        <Switch checked={may} onChange={permit} aria-label="持有操作权限" /> 持有「归档」的权限 {CODE}
      </p>
      <ListPage<Sample>
        description={sampleList}
        source={samplePage}
        rowActions={(row) => [
          { key: 'archive', label: '归档', code: CODE, unavailable: row.state === 0 ? '进行中的不能归档' : undefined, onRun: () => undefined },
          {
            key: 'cancel',
            label: '取消',
            danger: true,
            unavailable: row.state === 3 ? '已经取消' : undefined,
            onRun: () => ask({ act: '取消记录', name: row.name, consequence: '取消后不能恢复，已付的钱原路退回。', onConfirm: refetch }),
          },
        ]}
        batchActions={[
          { key: 'archive', label: '批量归档', code: CODE, onRun: (_, done) => done() },
          {
            key: 'cancel',
            label: '批量取消',
            danger: true,
            unavailable: (chosen) => (chosen.length > 3 ? '一次最多 3 条' : undefined),
            onRun: (_, done) => done(),
          },
        ]}
      />
      {toolbars.map(({ name, stale = null, updates = 0, refreshing = false }) => (
        <State key={name} name={`工具栏：${name}`}>
          <div className="panel list-panel">
            <Toolbar
              columns={sampleList.columns}
              settings={settings}
              onSettings={setSettings}
              onReset={() => setSettings({ density: 'middle', shown })}
              refreshedAt={FRESH_MS}
              stale={stale}
              updates={updates}
              onUpdates={() => undefined}
              refreshing={refreshing}
              onRefresh={() => undefined}
              exporting={false}
            />
          </div>
        </State>
      ))}
      {tables.map(({ name, query, narrowed = false, stale = false, marked = [] }) => (
        <State key={name} name={`表格：${name}`}>
          <div className="panel list-panel list-page">
            <ListTable<Sample>
              query={query}
              rowKey={sampleList.rowKey}
              columns={columns}
              density={settings.density}
              address={{ page: 1, pageSize: 20, open: null }}
              onAddress={() => undefined}
              openable={false}
              narrowed={narrowed}
              stale={stale}
              marked={new Set(marked)}
              emptyText={sampleList.emptyText}
            />
          </div>
        </State>
      ))}
    </>
  )
}

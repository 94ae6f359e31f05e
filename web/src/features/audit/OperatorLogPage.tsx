import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { App } from 'antd'
import { useMemo, useState } from 'react'
import { TOO_MANY } from '@/kit/jobs/jobs'
import { useUnderWay } from '@/kit/jobs/store'
import { ListTable, tableColumns } from '@/kit/list/ListTable'
import { useListSettings } from '@/kit/list/settings'
import { exportKey } from '@/kit/list/export'
import { useStale } from '@/kit/list/stale'
import { Toolbar } from '@/kit/list/Toolbar'
import { useArrows } from '@/kit/list/useArrows'
import { useReadTopic } from '@/live/hooks'
import { logColumns } from './columns'
import { exportLog, LOG_ID } from './exportLog'
import { EVERYBODY, logQuery, queryNow } from './filters'
import { LogDrawer } from './LogDrawer'
import { LogFilterRow } from './LogFilterRow'
import { LOG_PATH, logPage, type LogRow } from './log'
import { olderThan } from '@/api/askedAt'
import { exportLimits, USUAL_RANGE } from '@/kit/list/range'
import { ReplayDrawer } from './ReplayDrawer'
import { ReplayPicker } from './ReplayPicker'
import { useLogAddress } from './useLogAddress'
import './audit.css'

const TITLE = '操作人员日志'

const keyOf = (row: LogRow) => String(row.position)

/** Counts what was written since the list was asked for: a log that moves under one's eyes cannot be read. */
function useNewLines(): [number, () => void] {
  const client = useQueryClient()
  const [lines, setLines] = useState(0)
  const count = (keys: readonly string[]) => setLines((known) => known + Math.max(keys.length, 1))
  // What is on its way or shown was asked for while nobody told of new lines: it may miss one.
  const begun = (quiet_ms: number) => void client.invalidateQueries({ queryKey: [LOG_PATH, 'list'], predicate: olderThan(quiet_ms) })
  useReadTopic('audit_entry', count, begun)
  return [lines, () => setLines(0)]
}

/** Who did what, and every thing's history. */
export default function OperatorLogPage() {
  const { message } = App.useApp()
  const client = useQueryClient()
  const [address, setAddress] = useLogAddress()
  const [settings, setSettings, resetSettings] = useListSettings(LOG_ID, logColumns)
  const exporting = useUnderWay(exportKey(LOG_ID))
  const [newLines, forgetNewLines] = useNewLines()
  const { filters, range, page, pageSize, open, replay } = address

  // Ranges that move with the clock begin at midnight; asking anew looks at the clock again.
  const [now, setNow] = useState(() => Date.now())
  const asked = { ...queryNow(filters, range, now), page, pageSize }
  const query = useQuery({ ...logPage(asked), placeholderData: keepPreviousData })
  const stale = useStale(query, true)
  const narrowed = Object.keys(filters).length > 0

  const refresh = () => {
    forgetNewLines()
    setNow(Date.now())
    void client.invalidateQueries({ queryKey: [LOG_PATH, 'list'] })
  }

  useArrows((query.data?.rows ?? []).map(keyOf), replay ? null : open, (key) => setAddress({ open: key }))

  const exportRows = () => {
    const limits = exportLimits(range, Date.now())
    if ('refusal' in limits) return void message.warning(limits.refusal)
    if (!exportLog(TITLE, logQuery(filters, limits), settings.shown)) void message.info(TOO_MANY)
  }

  const columns = useMemo(() => tableColumns(logColumns, settings.shown), [settings.shown])
  return (
    <section className="list-page" aria-labelledby="list-title">
      <header className="list-head">
        <h1 id="list-title">{TITLE}</h1>
        <p className="weak">谁在什么时候对什么做了什么；任何对象都可以一步步回放到过去。</p>
      </header>
      <div className="panel list-panel">
        <LogFilterRow
          filters={filters}
          range={range}
          onFilters={(next) => setAddress({ filters: next, page: 1 })}
          onRange={(next) => setAddress({ range: next, page: 1 })}
          onReset={() => setAddress({ filters: {}, range: USUAL_RANGE, page: 1 })}
        />
        <div className="toolbar">
          <div className="toolbar-left">
            <ReplayPicker onOpen={(subject) => setAddress({ replay: { ...subject, position: 0 } })} />
          </div>
          <Toolbar
            columns={logColumns}
            settings={settings}
            onSettings={setSettings}
            onReset={resetSettings}
            refreshedAt={query.dataUpdatedAt}
            stale={stale}
            updates={newLines}
            onUpdates={refresh}
            refreshing={query.isFetching}
            onRefresh={refresh}
            exporting={exporting}
            onExport={exportRows}
          />
        </div>
        <ListTable<LogRow>
          query={query}
          rowKey={keyOf}
          columns={columns}
          density={settings.density}
          address={address}
          onAddress={setAddress}
          openable
          stale={stale !== null}
          narrowed={narrowed}
          emptyText={filters.actorKind ? '这段时间没有操作记录，可以选择更长的时间范围' : '这段时间没有人员的操作记录，可以选择更长的时间范围，或查看全部主体'}
          holds={{ name: '操作日志', need: '1404' }}
        />
      </div>
      {open !== null && (
        <LogDrawer
          position={open}
          onClose={() => setAddress({ open: null })}
          onTrace={(traceId) => setAddress({ filters: { actorKind: EVERYBODY, traceId }, range: 'all', page: 1, open: null })}
          onHistory={(row) => setAddress({ replay: { category: row.category, id: row.targetId, position: row.position } })}
        />
      )}
      {replay && (
        <ReplayDrawer
          replay={replay}
          onMove={(position) => setAddress({ replay: { ...replay, position } })}
          onClose={() => setAddress({ replay: null })}
        />
      )}
    </section>
  )
}

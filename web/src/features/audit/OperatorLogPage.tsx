import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { App, Button, Empty, Result, Table } from 'antd'
import { useEffect, useState } from 'react'
import { failureText, HttpError, noteSeen } from '@/api/client'
import { formatTime } from '@/kit/format'
import { pageSizes } from '@/kit/list/address'
import { saveFile, toCsv } from '@/kit/list/csv'
import { useListSettings } from '@/kit/list/settings'
import { Toolbar } from '@/kit/list/Toolbar'
import { useReadTopic } from '@/live/hooks'
import { logColumns } from './columns'
import { EXPORT_MAX, fetchExport } from './exportLog'
import { logQuery, queryNow } from './filters'
import { LogDrawer } from './LogDrawer'
import { LogFilterRow } from './LogFilterRow'
import { LOG_PATH, logPage, type LogRow } from './log'
import { exportLimits, USUAL_RANGE } from './range'
import { ReplayDrawer } from './ReplayDrawer'
import { ReplayPicker } from './ReplayPicker'
import { useLogAddress } from './useLogAddress'
import '@/kit/list/list.css'
import './audit.css'

const TITLE = '操作人员日志'

function ownsArrows(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, .ant-select, .ant-picker, [role="menu"]') !== null
}

/** Counts what was written since the list was asked for: a log that moves under one's eyes cannot be read. */
function useNewLines(): [number, () => void] {
  const [lines, setLines] = useState(0)
  useReadTopic('audit_entry', (keys, seq) => {
    noteSeen(seq)
    setLines((known) => known + Math.max(keys.length, 1))
  })
  return [lines, () => setLines(0)]
}

/** Who did what, and every thing's history. */
export default function OperatorLogPage() {
  const { message } = App.useApp()
  const client = useQueryClient()
  const [address, setAddress] = useLogAddress()
  const [settings, setSettings, resetSettings] = useListSettings('operator-log', logColumns)
  const [exported, setExported] = useState<number | null>(null)
  const [newLines, forgetNewLines] = useNewLines()
  const { filters, range, page, pageSize, open, replay } = address

  // Ranges that move with the clock begin at midnight; asking anew looks at the clock again.
  const [now, setNow] = useState(() => Date.now())
  const asked = { ...queryNow(filters, range, now), page, pageSize }
  const query = useQuery({ ...logPage(asked), placeholderData: keepPreviousData })
  const rows = query.data?.rows ?? []
  const narrowed = Object.keys(filters).length > 0

  const refresh = () => {
    forgetNewLines()
    setNow(Date.now())
    void client.invalidateQueries({ queryKey: [LOG_PATH, 'list'] })
  }

  // Up and down move the drawer to the neighbouring line.
  useEffect(() => {
    if (open === null || replay) return undefined
    const move = (event: KeyboardEvent) => {
      const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
      const at = rows.findIndex((row) => String(row.position) === open)
      const next = rows[at + step]
      if (step === 0 || at < 0 || !next || ownsArrows(event.target)) return
      event.preventDefault()
      setAddress({ open: String(next.position) })
    }
    window.addEventListener('keydown', move)
    return () => window.removeEventListener('keydown', move)
  })

  const exportRows = async () => {
    const limits = exportLimits(range, Date.now())
    if ('refusal' in limits) return void message.warning(limits.refusal)
    setExported(0)
    try {
      const all = await fetchExport(logQuery(filters, limits), setExported)
      const shown = logColumns.filter((column) => settings.shown.includes(column.key))
      saveFile(`${TITLE}-${formatTime(Date.now()).replaceAll(/[: ]/g, '')}.csv`, toCsv(shown, all))
      if (all.length === EXPORT_MAX) void message.warning(`只导出了最近 ${EXPORT_MAX} 条，请缩小时间范围`)
      else void message.success(`已导出 ${all.length} 条`)
    } catch (error) {
      void message.error(failureText(error, '导出失败'))
    } finally {
      setExported(null)
    }
  }

  const columns = logColumns
    .filter((column) => settings.shown.includes(column.key))
    .map((column) => ({
      key: column.key,
      title: column.title,
      width: column.width,
      ellipsis: true,
      render: (_: unknown, row: LogRow) => column.render?.(row) ?? column.text(row),
    }))
  const width = columns.reduce((sum, column) => sum + (column.width ?? 200), 0)

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
            {newLines > 0 && (
              <Button type="link" className="log-fresh" onClick={refresh}>
                有 {newLines} 条新记录，点击查看
              </Button>
            )}
            {exported !== null && (
              <span className="weak figure" role="status">
                正在导出，已取 {exported} 条
              </span>
            )}
          </div>
          <Toolbar
            columns={logColumns}
            settings={settings}
            onSettings={setSettings}
            onReset={resetSettings}
            refreshedAt={query.dataUpdatedAt}
            refreshing={query.isFetching}
            onRefresh={refresh}
            exporting={exported !== null}
            onExport={() => void exportRows()}
          />
        </div>
        {query.isError && !query.data ? (
          <Failed error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <Table<LogRow>
            rowKey="position"
            columns={columns}
            dataSource={rows}
            size={settings.density}
            loading={{ spinning: query.isLoading || query.isPlaceholderData, delay: 150 }}
            sticky={{ offsetHeader: 0 }}
            scroll={{ x: width }}
            rowClassName={(row) => (open === String(row.position) ? 'row-link row-open' : 'row-link')}
            onRow={(row) => ({
              tabIndex: 0,
              onClick: () => setAddress({ open: String(row.position) }),
              onKeyDown: (event) => {
                if (event.key === 'Enter' && event.target === event.currentTarget) setAddress({ open: String(row.position) })
              },
            })}
            locale={{
              emptyText: query.isLoading ? (
                <div className="list-empty" />
              ) : (
                <Empty
                  className="list-empty"
                  image={Empty.PRESENTED_IMAGE_SIMPLE}
                  description={narrowed ? '没有符合筛选条件的记录' : '这段时间没有操作记录，可以选择更长的时间范围'}
                >
                  {narrowed && <Button onClick={() => setAddress({ filters: {}, page: 1 })}>清除筛选</Button>}
                </Empty>
              ),
            }}
            pagination={{
              current: page,
              pageSize,
              total: query.data?.count ?? 0,
              pageSizeOptions: [...pageSizes],
              showSizeChanger: true,
              showTotal: (total) => `共 ${query.data?.capped ? `${total}+` : total} 条`,
              onChange: (nextPage, nextSize) => setAddress({ page: nextSize === pageSize ? nextPage : 1, pageSize: nextSize }),
            }}
          />
        )}
      </div>
      {open !== null && (
        <LogDrawer
          position={open}
          onClose={() => setAddress({ open: null })}
          onTrace={(traceId) => setAddress({ filters: { traceId }, range: 'all', page: 1, open: null })}
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

/** The log did not come: not allowed, or broken. */
function Failed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const forbidden = error instanceof HttpError && error.status === 403
  return (
    <Result
      status={forbidden ? '403' : 'error'}
      title={forbidden ? '没有查看操作日志的权限' : '操作日志加载失败'}
      subTitle={forbidden ? '请联系管理员为您的角色添加权限 1404。' : failureText(error, '请检查网络后重试。')}
      extra={forbidden ? null : <Button onClick={onRetry}>重试</Button>}
    />
  )
}

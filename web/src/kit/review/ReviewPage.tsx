import { ArrowLeftOutlined, DownloadOutlined, QuestionCircleOutlined, ReloadOutlined } from '@ant-design/icons'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { App, Button, Empty, Pagination, Tabs } from 'antd'
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { serverNow } from '@/api/clock'
import { useDevice } from '../device'
import { TOO_MANY } from '../jobs/jobs'
import { useUnderWay } from '../jobs/store'
import { PAGE_SIZE, useListAddress } from '../list/address'
import { type Filters, filtersOf, listKey, type ListRows, namesOf } from '../list/description'
import { exportKey, exportList, startExport } from '../list/export'
import { FilterRow } from '../list/FilterRow'
import type { ListAsked } from '../list/ListPage'
import { dated, fetchPage } from '../list/pages'
import { SavedFiltersMenu } from '../list/SavedFiltersMenu'
import { useStale } from '../list/stale'
import { askedOf } from '../list/times'
import { neighboursOf, useArrows } from '../list/useArrows'
import { useFollow } from '../list/useFollow'
import { Keys } from './Keys'
import { QueueList } from './QueueList'
import { keepFilters, readFilters } from './remembered'
import { type CaseView, followerOf, type ReviewQueue } from './review'
import { ReviewCase } from './ReviewCase'
import '../list/list.css'
import './review.css'

/** The tab of every state, as the address has it. */
const ALL = 'all'
/** How often waiting times are told anew, ms. */
const TICK_MS = 30_000

interface ReviewPageProps<Row extends object, Case extends { version: number }> {
  queue: ReviewQueue<Row>
  view: CaseView<Case>
  /** Where the rows come from, when it is not the description's route. */
  source?(asked: ListAsked): Promise<ListRows<Row>>
}

/** A review queue: its cases, the one that is open, and what is decided of it. See `review.ts`. */
export function ReviewPage<Row extends object, Case extends { version: number }>({ queue, view, source }: ReviewPageProps<Row, Case>) {
  const { list, waiting, oldestFirst, limit_ms, entry } = queue
  const { tabs, rowKey } = list
  const family = listKey(list)
  const filterList = useMemo(() => filtersOf(list), [list])
  const { message } = App.useApp()
  const narrow = useDevice() === 'mobile'
  const [address, setAddress] = useListAddress(filterList, [])
  const [keysShown, showKeys] = useState(false)
  const exporting = useUnderWay(exportKey(list.id))
  const now_ms = useNow()
  const { filters, page, open } = address
  useRemembered(list.id, filterList.flatMap(namesOf), filters, (values) => setAddress({ filters: values }))

  const tab = filters[tabs.name] ?? waiting
  const ofState = (state: string): Filters => {
    const { [tabs.name]: _, ...others } = filters
    return state === ALL ? others : { ...others, [tabs.name]: state }
  }
  const sort = tab === waiting && oldestFirst !== undefined ? oldestFirst : null
  const fetched = (state: string, asked: Omit<ListAsked, 'filters'>, signal: AbortSignal) => {
    const values = askedOf(list, ofState(state), now_ms)
    if (source) return source({ filters: values, ...asked })
    return fetchPage<Row>(list, asked.sort === null ? values : { ...values, sort: asked.sort }, { page: asked.page, pageSize: asked.pageSize }, { signal })
  }
  const query = useQuery({
    queryKey: [...family, 'list', ofState(tab), page, sort],
    queryFn: ({ signal }) => dated(() => fetched(tab, { sort, page, pageSize: PAGE_SIZE }, signal)),
    placeholderData: keepPreviousData,
  })
  const counts = useQueries({
    queries: tabs.options.map(({ value }) => ({
      queryKey: [...family, 'count', ofState(value)],
      queryFn: ({ signal }: { signal: AbortSignal }) => fetched(value, { sort: null, page: 1, pageSize: 1 }, signal).then(({ count }) => count),
    })),
  })

  const { data } = query
  const keys = (data?.rows ?? []).map(rowKey)
  const current = open ?? (narrow ? null : (keys[0] ?? null))
  const shown = useMemo(
    () => (data ? { askedAt_ms: data.askedAt_ms, seen: data.seen, keys: new Set([...data.rows.map(rowKey), ...(open === null ? [] : [open])]) } : null),
    [data, rowKey, open],
  )
  const { updates, onUpdates } = useFollow(list.table ?? null, family, shown)
  const stale = useStale(query, list.table !== undefined)

  const move = (key: string) => setAddress({ open: key })
  const close = () => setAddress({ open: null })
  useArrows(keys, current, move)
  useBack(narrow && open !== null && !keysShown, close)
  const ask = (values: Filters) => {
    keepFilters(list.id, values)
    setAddress({ filters: values, page: 1, open: null })
  }
  const exportRows = () => {
    const begun = startExport(list.id, list.title, (work) => exportList(list, ofState(tab), list.columns, work))
    if (!begun) void message.info(TOO_MANY)
  }

  const left = (
    <section className="panel review-queue" aria-label="待办队列">
      <Tabs
        className="state-tabs"
        size="small"
        aria-label={tabs.label}
        activeKey={tab}
        onChange={(value) => ask(value === waiting ? ofState(ALL) : { ...filters, [tabs.name]: value })}
        items={[
          ...tabs.options.map(({ value, label }, index) => ({
            key: value,
            label: (
              <>
                {label}
                <span className="state-count figure">{counts[index]?.data?.toLocaleString('zh-CN')}</span>
              </>
            ),
          })),
          { key: ALL, label: '全部' },
        ]}
      />
      <FilterRow filters={list.filters} values={ofState(ALL)} onChange={(values) => ask(tab === waiting ? values : { ...values, [tabs.name]: tab })}>
        {list.filters.length > 0 && <SavedFiltersMenu id={list.id} values={filters} onApply={ask} />}
      </FilterRow>
      <div className="review-tools">
        <span className="weak figure">{data ? `共 ${data.count.toLocaleString('zh-CN')} 条` : ''}</span>
        {stale && <span className="review-near">{stale}</span>}
        {updates > 0 && (
          <Button type="link" size="small" onClick={onUpdates}>
            有 {updates} 条更新
          </Button>
        )}
        <span className="review-tools-right">
          <Button type="text" size="small" aria-label="刷新" title="刷新" icon={<ReloadOutlined spin={query.isFetching} />} onClick={onUpdates} />
          {list.exported && <Button type="text" size="small" aria-label="导出" title="导出" loading={exporting} icon={<DownloadOutlined />} onClick={exportRows} />}
          <Button type="text" size="small" aria-label="快捷键" title="快捷键（?）" icon={<QuestionCircleOutlined />} onClick={() => showKeys(true)} />
        </span>
      </div>
      <QueueList
        query={query}
        rowKey={rowKey}
        entry={entry}
        limit_ms={limit_ms}
        now_ms={now_ms}
        open={current}
        emptyText={Object.keys(filters).length > 0 ? '没有符合条件的记录' : list.emptyText}
        onOpen={move}
      />
      {data && data.count > PAGE_SIZE && (
        <Pagination simple size="small" className="review-pages" current={page} pageSize={PAGE_SIZE} total={data.count} onChange={(next) => setAddress({ page: next, open: null })} />
      )}
    </section>
  )
  const right = (
    <section className="panel review-side" aria-label="审核内容">
      {current === null ? (
        <>
          <Empty className="review-empty" description={query.isLoading ? '加载中' : '没有打开的记录'} />
          {keysShown && <Keys decisions={[]} onClose={() => showKeys(false)} />}
        </>
      ) : (
        <ReviewCase
          key={current}
          id={current}
          family={family}
          view={view}
          neighbours={neighboursOf(keys, current, move)}
          keysShown={keysShown}
          onKeys={showKeys}
          onDecided={() => setAddress({ open: followerOf(keys, current) })}
          back={narrow && <Button type="text" aria-label="返回列表" icon={<ArrowLeftOutlined />} onClick={close} />}
        />
      )}
    </section>
  )
  return (
    <section className="list-page review-page" aria-labelledby="list-title">
      <header className="list-head">
        <h1 id="list-title">{list.title}</h1>
        <p className="weak">{list.purpose}</p>
      </header>
      <div className="review-sides">
        {narrow ? (current === null ? left : right) : [<div key="left">{left}</div>, <div key="right">{right}</div>]}
      </div>
    </section>
  )
}

/** The server's time, as often as waiting times are told anew. */
function useNow(): number {
  const [now_ms, tell] = useState(serverNow)
  useEffect(() => {
    const timer = setInterval(() => tell(serverNow()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return now_ms
}

/** A page that is opened without filters begins with those that it was left with. */
function useRemembered(id: string, names: readonly string[], filters: Filters, apply: (values: Filters) => void): void {
  const begun = useRef(false)
  const begin = useEffectEvent(() => {
    const remembered = readFilters(id, names)
    if (Object.keys(filters).length === 0 && Object.keys(remembered).length > 0) apply(remembered)
  })
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    begin()
  }, [])
}

/** Esc leads back to the queue, unless something else closes by it. */
function useBack(active: boolean, back: () => void): void {
  useEffect(() => {
    if (!active) return undefined
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || document.querySelector('.ant-modal-wrap:not([style*="display: none"]), .ant-image-preview')) return
      back()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [active, back])
}

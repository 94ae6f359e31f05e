import { ClockCircleOutlined } from '@ant-design/icons'
import { Empty, Skeleton } from 'antd'
import { useEffect, useRef } from 'react'
import { LoadFailure } from '../LoadFailure'
import { Dot } from '../StateTag'
import { type Entry, waitingOf } from './review'

interface QueueListProps<Row> {
  query: { data?: { rows: readonly Row[] } | undefined; isLoading: boolean; isError: boolean; error: unknown; refetch(): Promise<unknown> }
  rowKey(row: Row): string
  entry(row: Row): Entry
  limit_ms?: number | undefined
  /** Of the server, epoch ms. */
  now_ms: number
  open: string | null
  emptyText: string
  onOpen(key: string): void
}

/** The cases, each with how long it has waited. */
export function QueueList<Row>({ query, rowKey, entry, limit_ms, now_ms, open, emptyText, onOpen }: QueueListProps<Row>) {
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    if (open !== null) list.current?.querySelector('[aria-current="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [open])
  if (query.isLoading) return <Skeleton active paragraph={{ rows: 6 }} className="review-wait" />
  if (query.isError && query.data === undefined) return <LoadFailure query={query} text="列表加载失败" />
  const rows = query.data?.rows ?? []
  if (rows.length === 0) return <Empty className="review-empty" image={Empty.PRESENTED_IMAGE_SIMPLE} description={emptyText} />
  return (
    <ul className="review-entries" ref={list} aria-label="队列">
      {rows.map((row) => {
        const key = rowKey(row)
        const { title, lines, state, since_ms, waits } = entry(row)
        const waiting = waitingOf(since_ms, now_ms, limit_ms)
        return (
          <li key={key}>
            <button type="button" className="review-entry" aria-current={key === open} onClick={() => onOpen(key)}>
              <span className="review-entry-head">
                <strong>{title}</strong>
                {waits ? (
                  <span className={`review-waiting review-${waiting.tone} figure`} title="已等待">
                    <ClockCircleOutlined aria-hidden /> {waiting.text}
                  </span>
                ) : (
                  <Dot {...state} />
                )}
              </span>
              {lines.map((line, index) => (
                // oxlint-disable-next-line react/no-array-index-key -- lines have no other name and never move
                <span key={index} className="review-line weak">
                  {line}
                </span>
              ))}
            </button>
          </li>
        )
      })}
    </ul>
  )
}

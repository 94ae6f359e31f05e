import { Skeleton, Empty, Tabs } from 'antd'
import { Fragment, type ReactNode, useContext, useState } from 'react'
import { type Fact, Facts } from '../Facts'
import { LoadFailure } from '../LoadFailure'
import { NewerNotice } from '../NewerNotice'
import { usePermit } from '../Permit'
import { HistoryContext } from './history'

interface Tab {
  key: string
  label: string
  children: ReactNode
}

/** A record as its drawer or its page shows it. */
export interface RecordParts<Row extends { version: number }> {
  id: string
  query: { data?: Row | null | undefined; isLoading: boolean; isError: boolean; error: unknown; refetch(): Promise<unknown> }
  words: {
    /** The title until it is known: `角色详情`. */
    untitled: string
    /** `角色加载失败`. */
    failure: string
    /** What it is in a sentence: `这个角色`. */
    subject: string
    /** What is said when there is none; for queries that may bring nothing. */
    none?: string
    /** The tab with its form, when there are others; absent: `资料`. */
    main?: string
  }
  title(record: Row): ReactNode
  /** What stands above the facts: notices, a map. */
  above?(latest: Row): ReactNode
  facts(latest: Row): readonly Fact[]
  /** Beside the form. */
  tabs?(latest: Row): readonly Tab[]
  /** Its category in the operator log. */
  category: string
  /**
   * The form, of the version it was opened with, and what else there is. Without a form that can be saved both are the
   * newest.
   */
  children(opened: Row, latest: Row): ReactNode
}

/** The tab with the form. */
export const MAIN = 'main'
const HISTORY = 'history'

interface RecordBodyProps<Row extends { version: number }> {
  parts: RecordParts<Row>
  /** Whether a form is there that can be saved. */
  editing: boolean
  tab: string
  onTab(tab: string): void
}

/** All of a record but its title and its buttons; until it is there, why not. */
export function RecordBody<Row extends { version: number }>(props: RecordBodyProps<Row>) {
  const { id, query, words } = props.parts
  if (query.isLoading) return <Skeleton active paragraph={{ rows: 8 }} />
  return (
    <>
      <LoadFailure query={query} text={words.failure} />
      {query.data === null && <Empty description={words.none} />}
      {query.data && <Loaded key={id} {...props} latest={query.data} />}
    </>
  )
}

/** Edits the version it was opened with; a newer one is announced, never laid over what is being written. */
function Loaded<Row extends { version: number }>({ parts, latest, editing, tab, onTab }: RecordBodyProps<Row> & { latest: Row }) {
  const { words, above, facts, tabs, children } = parts
  const [opened, setOpened] = useState(latest)
  const shown = editing ? opened : latest
  const main = <Fragment key={opened.version}>{children(shown, latest)}</Fragment>
  const others = [...(tabs?.(latest) ?? []), ...useHistoryTab(parts, latest)]
  return (
    <>
      {editing && <NewerNotice subject={words.subject} opened={opened} latest={latest} onLoad={setOpened} />}
      {above?.(latest)}
      <Facts facts={facts(latest)} />
      {others.length === 0 ? main : <Tabs activeKey={tab} onChange={onTab} items={[{ key: MAIN, label: words.main ?? '资料', children: main }, ...others]} />}
    </>
  )
}

/** What was done to it, for those who may read the operator log. */
function useHistoryTab({ id, category }: { id: string; category: string }, { version }: { version: number }): Tab[] {
  const history = useContext(HistoryContext)
  const permitted = usePermit(history?.need ?? '')
  if (!history || !permitted) return []
  return [{ key: HISTORY, label: '操作记录', children: <history.Steps category={category} id={id} version={version} /> }]
}

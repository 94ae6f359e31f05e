import { Button, Empty } from 'antd'
import type { ReactNode } from 'react'
import { formatTime } from '../format'
import { Dot } from '../StateTag'
import { Changes } from './Changes'
import { type Counted, type Difference, stateOf, timesOf, versionTags } from './versions'
import './versions.css'

interface VersionListProps<Row> {
  /** Newest first. */
  rows: readonly Row[]
  /** The moment of which it is said what counts. */
  at_ms: number
  countedOf(row: Row): Counted
  /** What a version changed of the one before it; of the first what it began with. */
  changesOf(row: Row, before: Row | undefined): readonly (Difference | string)[]
  /** What else is to be said of a version. */
  aside?(row: Row): ReactNode
  /** What else can be done with a version that has counted. */
  extra?(row: Row): ReactNode
  /** The version that the newest is compared with. */
  compared: number | null
  onCompare(number: number | null): void
  /** Goes back to an older version; absent where nobody may. */
  onRollBack?(number: number): void
  /** Takes back a version that is to come; absent where nobody may. */
  onWithdraw?(number: number): void
  emptyText: string
}

/** All versions of a subject: when each counts, what it changed, the way back to it and the look at it. */
export function VersionList<Row extends { dataVersion: number }>(props: VersionListProps<Row>) {
  const { rows, at_ms, countedOf, changesOf, aside, extra, compared, onCompare, onRollBack, onWithdraw } = props
  if (rows.length === 0) return <Empty description={props.emptyText} />
  const newest = newestOf(rows, countedOf)?.dataVersion
  return (
    <div role="list" aria-label="版本">
      {rows.map((row, index) => {
        const { dataVersion: number } = row
        const counted = countedOf(row)
        const state = stateOf(counted, at_ms)
        const said = aside?.(row)
        return (
          <div key={number} className="version" role="listitem" aria-label={`第 ${number} 版`}>
            <strong className="figure">第 {number} 版</strong>
            <span>
              <Dot {...versionTags[state]} />{' '}
              <span className="weak figure">{state === 'future' ? `从 ${formatTime(counted.fromAt)} 起` : timesOf(counted.counted)}</span>
            </span>
            <span>
              {state === 'future' && onWithdraw && (
                <Button size="small" type="link" onClick={() => onWithdraw(number)}>
                  撤回
                </Button>
              )}
              {state !== 'future' && number !== newest && (
                <>
                  <Button size="small" type="link" aria-pressed={compared === number} onClick={() => onCompare(compared === number ? null : number)}>
                    对比
                  </Button>
                  {onRollBack && state !== 'withdrawn' && (
                    <Button size="small" type="link" onClick={() => onRollBack(number)}>
                      回滚到此版
                    </Button>
                  )}
                </>
              )}
              {state !== 'future' && state !== 'withdrawn' && extra?.(row)}
            </span>
            {said && <div className="version-aside">{said}</div>}
            <Changes changes={changesOf(row, rows[index + 1])} />
          </div>
        )
      })}
    </div>
  )
}

/** The newest version that was not taken back; where all were, the newest. */
export function newestOf<Row>(rows: readonly Row[], countedOf: (row: Row) => Counted): Row | undefined {
  return rows.find((row) => !countedOf(row).withdrawn) ?? rows[0]
}

/** What is asked before going back to a version. */
export const rollBackTo = (number: number, name: string, consequence: string) => ({ act: `回滚到第 ${number} 版`, name, consequence })

/** What is asked before a version that is to come is taken back. */
export const withdrawal = (number: number, name: string) => ({
  act: `撤回第 ${number} 版`,
  name,
  consequence: '这个版本不再生效；其中的内容保留为草稿。',
})

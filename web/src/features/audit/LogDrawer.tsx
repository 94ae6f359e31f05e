import { HistoryOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Button, Drawer, Skeleton } from 'antd'
import { frame } from '@/kit/theme'
import { type Fact, Facts } from '@/kit/Facts'
import { EMPTY } from '@/kit/format'
import { LoadFailure } from '@/kit/LoadFailure'
import { Time } from '@/kit/Time'
import { ChangeTable } from './ChangeTable'
import { type Access, logActions, logDetail, type LogDetail } from './log'
import { ResultTag } from './ResultTag'

interface LogDrawerProps {
  position: string
  onClose(): void
  /** Shows all that one request did. */
  onTrace(traceId: string): void
  onHistory(row: LogDetail): void
}

/** One line of the log: who, what, from where, and what it changed. */
export function LogDrawer({ position, onClose, onTrace, onHistory }: LogDrawerProps) {
  const query = useQuery(logDetail(position))
  const actions = useQuery(logActions)
  const row = query.data
  const replayable = row && actions.data?.categories.some(({ category, history }) => category === row.category && history)
  return (
    <Drawer
      open
      size={frame.drawerWide}
      title={row ? `${row.actionLabel} · ${row.target}` : '操作详情'}
      className="log-drawer"
      onClose={onClose}
      extra={
        replayable && (
          <Button icon={<HistoryOutlined />} onClick={() => onHistory(row)}>
            此对象的历史
          </Button>
        )
      }
    >
      {query.isLoading && <Skeleton active paragraph={{ rows: 8 }} />}
      <LoadFailure query={query} text="操作详情加载失败" />
      {row && (
        <>
          <RowFacts row={row} onTrace={onTrace} />
          {row.access ? (
            <AccessFacts access={row.access} />
          ) : (
            <>
              <h3>字段变更</h3>
              <ChangeTable changes={row.changes} />
            </>
          )}
        </>
      )}
    </Drawer>
  )
}

function RowFacts({ row, onTrace }: { row: LogDetail; onTrace(traceId: string): void }) {
  const trace = (
    <>
      <code>{row.traceId}</code>{' '}
      <Button size="small" type="link" onClick={() => onTrace(row.traceId)}>
        查看同一次请求的全部操作
      </Button>
    </>
  )
  const withId = (name: string, id: string) => (
    <>
      {name} <span className="weak figure">{id}</span>
    </>
  )
  return (
    <Facts
      facts={[
        { name: '时间', value: <Time at={row.time} /> },
        { name: row.actorKind === 1 ? '操作人' : '机器客户端', value: withId(row.name || row.opManId, row.phone) },
        { name: '结果', value: <ResultTag result={row.result} label={row.resultLabel} /> },
        { name: '来源地址', value: <span className="figure">{row.ip || EMPTY}</span> },
        { name: '对象', whole: true, value: withId(row.target, row.targetId) },
        ...(row.traceId ? [{ name: '追踪编号', whole: true, value: trace }] : []),
      ]}
    />
  )
}

const accessKinds: Readonly<Record<Access['kind'], string>> = { export: '导出数据', unmask: '查看脱敏信息', refused: '操作被拒绝' }

function factsOf({ what, target, rows, reason, code, filter }: Access): Fact[] {
  const facts: Fact[] = [{ name: '内容', whole: true, value: <code>{what}</code> }]
  if (target) facts.push({ name: '涉及', whole: true, value: target })
  if (rows !== null) facts.push({ name: '条数', whole: true, value: <span className="figure">{rows}</span> })
  if (reason) {
    const value = (
      <>
        {reason} <span className="weak">{code}</span>
      </>
    )
    facts.push({ name: '原因', whole: true, value })
  }
  if (filter !== null && filter !== undefined) {
    facts.push({ name: '筛选条件', whole: true, value: <pre>{JSON.stringify(filter, null, 2)}</pre> })
  }
  return facts
}

function AccessFacts({ access }: { access: Access }) {
  return (
    <>
      <h3>{accessKinds[access.kind]}</h3>
      <Facts facts={factsOf(access)} />
    </>
  )
}

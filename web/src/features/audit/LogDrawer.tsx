import { HistoryOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Button, Drawer, Skeleton } from 'antd'
import type { ReactNode } from 'react'
import { frame } from '@/app/theme'
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
          <Facts row={row} onTrace={onTrace} />
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

function Fact({ label, wide, children }: { label: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={wide ? 'wide' : undefined}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Facts({ row, onTrace }: { row: LogDetail; onTrace(traceId: string): void }) {
  return (
    <dl className="log-facts">
      <Fact label="时间">
        <Time at={row.time} />
      </Fact>
      <Fact label={row.actorKind === 1 ? '操作人' : '机器客户端'}>
        {row.name || row.opManId} <span className="weak figure">{row.phone}</span>
      </Fact>
      <Fact label="结果">
        <ResultTag result={row.result} label={row.resultLabel} />
      </Fact>
      <Fact label="来源地址">
        <span className="figure">{row.ip || '--'}</span>
      </Fact>
      <Fact label="对象" wide>
        {row.target} <span className="weak figure">{row.targetId}</span>
      </Fact>
      {row.traceId && (
        <Fact label="追踪编号" wide>
          <code>{row.traceId}</code>{' '}
          <Button size="small" type="link" onClick={() => onTrace(row.traceId)}>
            查看同一次请求的全部操作
          </Button>
        </Fact>
      )}
    </dl>
  )
}

const accessKinds: Readonly<Record<Access['kind'], string>> = { export: '导出数据', unmask: '查看脱敏信息', refused: '操作被拒绝' }

function AccessFacts({ access }: { access: Access }) {
  return (
    <>
      <h3>{accessKinds[access.kind]}</h3>
      <dl className="log-facts">
        <Fact label="内容" wide>
          <code>{access.what}</code>
        </Fact>
        {access.target && (
          <Fact label="涉及" wide>
            {access.target}
          </Fact>
        )}
        {access.rows !== null && <Fact label="条数">{access.rows}</Fact>}
        {access.reason && (
          <Fact label="原因" wide>
            {access.reason} <span className="weak">{access.code}</span>
          </Fact>
        )}
        {access.filter !== null && access.filter !== undefined && (
          <Fact label="筛选条件" wide>
            <pre>{JSON.stringify(access.filter, null, 2)}</pre>
          </Fact>
        )}
      </dl>
    </>
  )
}

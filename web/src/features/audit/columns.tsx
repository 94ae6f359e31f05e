import { EMPTY } from '@/kit/format'
import type { Column } from '@/kit/list/description'
import type { LogRow } from './log'
import { ResultTag } from './ResultTag'

export const logColumns: readonly Column<LogRow>[] = [
  { kind: 'time', key: 'time', title: '时间', width: 156, value: (row) => row.time },
  {
    key: 'name',
    title: '操作人',
    width: 178,
    text: (row) => `${row.name || row.opManId}${row.phone ? ` ${row.phone}` : ''}`,
    render: (row) => (
      <>
        <strong>{row.name || row.opManId}</strong> <span className="weak figure">{row.actorKind === 2 ? '机器' : row.phone}</span>
      </>
    ),
  },
  { key: 'action', title: '操作', width: 112, text: (row) => row.actionLabel },
  { key: 'target', title: '对象', width: 160, text: (row) => row.target },
  {
    key: 'result',
    title: '结果',
    width: 84,
    text: (row) => row.resultLabel,
    render: (row) => <ResultTag result={row.result} label={row.resultLabel} />,
  },
  { key: 'detail', title: '内容', width: 224, wraps: true, text: (row) => row.detail, render: (row) => <span className="log-detail">{row.detail || EMPTY}</span> },
  { key: 'ip', title: '来源地址', width: 112, text: (row) => row.ip },
  { key: 'opManId', title: '操作人编号', width: 160, optional: true, text: (row) => row.opManId },
  { key: 'targetId', title: '对象编号', width: 160, optional: true, text: (row) => row.targetId },
  { key: 'agentId', title: '代理商编号', width: 140, optional: true, text: (row) => row.agentId },
  { key: 'traceId', title: '追踪编号', width: 200, optional: true, text: (row) => row.traceId },
]

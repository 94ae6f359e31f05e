import { Tag } from 'antd'
import { useState } from 'react'
import { serverNow } from '@/api/clock'
import { EMPTY } from '@/kit/format'
import { contractStanding, contractText } from './agent'

const marks = { over: { color: 'red', label: '已到期' }, soon: { color: 'orange', label: '即将到期' }, future: { color: 'blue', label: '未生效' } }

interface Days {
  begin: string | null
  end: string | null
}

function useMark({ begin, end }: Days) {
  const [now] = useState(serverNow)
  const standing = contractStanding(begin, end, now)
  return standing === 'none' || standing === 'running' ? null : marks[standing]
}

/** A contract's days, with a mark when they call for attention. */
export function Contract(days: Days) {
  const mark = useMark(days)
  return (
    <span className="figure agent-contract">
      {mark && <Tag color={mark.color}>{mark.label}</Tag>}
      {contractText(days.begin, days.end)}
    </span>
  )
}

/** The last day of a contract; its colour and its tip say when it calls for attention. */
export function ContractEnd(days: Days) {
  const mark = useMark(days)
  const text = contractText(days.begin, days.end)
  if (!mark) return <span className="figure" title={text}>{days.end ?? (days.begin === null ? EMPTY : '长期')}</span>
  return (
    <Tag className="figure" color={mark.color} title={`${mark.label}：${text}`}>
      {mark === marks.future ? mark.label : (days.end ?? mark.label)}
    </Tag>
  )
}

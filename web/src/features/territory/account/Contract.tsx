import { Tag } from 'antd'
import { useState } from 'react'
import { formatTime } from '@/kit/format'
import { contractStanding, contractText } from './account'

const marks = { over: { color: 'red', label: '已到期' }, soon: { color: 'orange', label: '即将到期' }, future: { color: 'blue', label: '未生效' } }

/** A contract's days, with a mark when they call for attention. */
export function Contract({ begin, end }: { begin: string | null; end: string | null }) {
  // The day in the time of the operation.
  const [today] = useState(() => formatTime(Date.now()).slice(0, 10))
  const standing = contractStanding(begin, end, today)
  const mark = standing === 'none' || standing === 'running' ? null : marks[standing]
  const text = contractText(begin, end)
  return (
    <span className="figure account-contract" title={text}>
      {mark && <Tag color={mark.color}>{mark.label}</Tag>}
      {text}
    </span>
  )
}

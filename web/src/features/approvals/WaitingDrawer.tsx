import { useQuery } from '@tanstack/react-query'
import { Drawer, Empty, Skeleton } from 'antd'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { LoadFailure } from '@/kit/LoadFailure'
import { neighboursOf, useArrows } from '@/kit/list/useArrows'
import { Time } from '@/kit/Time'
import { frame } from '@/kit/theme'
import { amountOf, waitingApprovals } from './approval'
import { ApprovalDrawer } from './ApprovalDrawer'
import './approvals.css'

/** Where all of them are listed. */
const ALL = '/log?view=1'

/** What waits for the caller's word, and each of it as a case. */
export default function WaitingDrawer({ open, onClose }: { open: boolean; onClose(): void }) {
  const query = useQuery({ ...waitingApprovals, enabled: open })
  const [shown, setShown] = useState<string | null>(null)
  const rows = query.data?.rows ?? []
  const keys = rows.map(({ id }) => id)
  // What was just decided is not in the list any more; its place was.
  const [queue, setQueue] = useState<readonly string[]>([])
  const show = (id: string) => {
    setQueue(keys.includes(id) ? keys : queue)
    setShown(id)
  }
  useArrows(queue, shown, show)
  return (
    <Drawer open={open} title={`待我复核${query.data ? ` ${query.data.count}` : ''}`} size={frame.jobs} onClose={onClose}>
      {query.isLoading && <Skeleton active />}
      <LoadFailure query={query} text="待复核的申请加载失败" />
      {query.data && rows.length === 0 && <Empty description="没有等您复核的申请" />}
      <ul className="approval-queue" aria-label="待我复核">
        {rows.map((approval) => (
          <li key={approval.id}>
            <button type="button" className="approval-case" onClick={() => show(approval.id)}>
              <strong>{approval.summary}</strong>
              <span className="figure">{amountOf(approval)}</span>
              <span className="weak">
                {approval.kindLabel} · {approval.requesterName} · <Time at={approval.requestedAt} /> 提交，<Time at={approval.expiresAt} /> 前有效
              </span>
            </button>
          </li>
        ))}
      </ul>
      <p>
        <Link to={ALL} onClick={onClose}>
          全部复核记录
        </Link>
      </p>
      {shown !== null && <ApprovalDrawer key={shown} id={shown} neighbours={neighboursOf(queue, shown, show)} onClose={() => setShown(null)} />}
    </Drawer>
  )
}

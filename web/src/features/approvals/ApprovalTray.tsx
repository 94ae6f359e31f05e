import { AuditOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Badge, Button, Tooltip } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useFollow } from '@/kit/list/useFollow'
import { APPROVALS, waitingCount } from './count'

const WaitingDrawer = lazy(() => import('./WaitingDrawer'))

/** How many requests wait for the caller's word, and the way to them. */
export function ApprovalTray() {
  const [state, setState] = useState<'never' | 'open' | 'closed'>('never')
  const { data: count = 0 } = useQuery(waitingCount)
  useFollow('approval', [APPROVALS])
  const words = count > 0 ? `待我复核：${count} 项` : '待我复核'
  return (
    <>
      <Tooltip title={words}>
        <Button
          className="job-tray"
          type="text"
          aria-label={words}
          aria-haspopup="dialog"
          aria-expanded={state === 'open'}
          icon={
            <Badge count={count} size="small" color="var(--accent-deep)">
              <AuditOutlined />
            </Badge>
          }
          onClick={() => setState('open')}
        />
      </Tooltip>
      <span className="heard" aria-live="polite">
        {count > 0 && words}
      </span>
      {state !== 'never' && (
        <Suspense fallback={null}>
          <WaitingDrawer open={state === 'open'} onClose={() => setState('closed')} />
        </Suspense>
      )}
    </>
  )
}

import { ScheduleOutlined } from '@ant-design/icons'
import { Badge, Button, Tooltip } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useActiveCount } from '@/kit/jobs/store'

const JobDrawer = lazy(() => import('./JobDrawer'))

/** How many jobs are under way, and the way to all of them. */
export function JobTray() {
  const [state, setState] = useState<'never' | 'open' | 'closed'>('never')
  const count = useActiveCount()
  const words = count > 0 ? `任务：${count} 个进行中` : '任务'
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
              <ScheduleOutlined />
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
          <JobDrawer open={state === 'open'} onClose={() => setState('closed')} />
        </Suspense>
      )}
    </>
  )
}

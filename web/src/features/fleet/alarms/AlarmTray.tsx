import { BellOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Badge, Button, Tooltip } from 'antd'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useFollow } from '@/kit/list/useFollow'
import { ALARM_CODES, ALARMS, alarmCount, isNews, TABLE } from './count'

export { ALARM_CODES }

const InboxDrawer = lazy(() => import('./InboxDrawer'))

/** How many alarms nobody has taken on himself, and the way to them. */
export function AlarmTray() {
  const [state, setState] = useState<'never' | 'open' | 'closed'>('never')
  const { data } = useQuery(alarmCount)
  useFollow(TABLE, [ALARMS])
  const toldAt_ms = useRef<number | null>(null)
  useEffect(() => {
    if (!data) return
    // What was there when the page was opened is no news.
    const last = toldAt_ms.current ?? Number.POSITIVE_INFINITY
    const { first } = data
    // What sounds and shows it is loaded with the first that there is to tell.
    if (first && isNews(data, last)) void import('./notice').then(({ tell }) => tell(first))
    toldAt_ms.current = Math.max(toldAt_ms.current ?? 0, data.first?.lastAt ?? 0)
  }, [data])
  const { open = 0, escalated = 0 } = data?.waiting ?? {}
  const words = open === 0 ? '报警' : `报警：${open} 项未处理${escalated > 0 ? `，${escalated} 项已升级` : ''}`
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
            <Badge count={open} size="small" overflowCount={999}>
              <BellOutlined />
            </Badge>
          }
          onClick={() => setState('open')}
        />
      </Tooltip>
      <span className="heard" aria-live="polite">
        {open > 0 && words}
      </span>
      {state !== 'never' && (
        <Suspense fallback={null}>
          <InboxDrawer open={state === 'open'} onClose={() => setState('closed')} />
        </Suspense>
      )}
    </>
  )
}

import { Tooltip } from 'antd'
import { Dot, type TagStyle } from '@/kit/StateTag'
import type { ConnectionState } from '@/live/connection'
import { useConnection } from '@/live/hooks'
import { ink, stateStyle } from '@/kit/theme'

/** How fresh live data is, in words. */
export function connectionStyle(state: ConnectionState): TagStyle {
  if (state.kind === 'live') return { label: '实时', color: stateStyle[0].color }
  if (state.kind === 'delayed') return { label: `延迟 ${state.seconds} 秒`, color: ink.warning }
  if (state.kind === 'connecting') return { label: '连接中', color: stateStyle[7].color }
  return { label: '已断开', color: ink.danger }
}

const hints = {
  connecting: '正在建立连接',
  live: '数据随变化即时更新',
  delayed: '正在追赶最新数据',
  offline: '连接中断，正在重新连接；页面显示的是断开前的数据',
}

/** Never absent on a live page. */
export function ConnectionBadge() {
  const state = useConnection()
  const { label, color } = connectionStyle(state)
  const hint = state.kind === 'offline' && state.reason !== '' ? state.reason : hints[state.kind]
  return (
    <Tooltip title={hint}>
      <span className="connection" role="status" aria-live="polite">
        <Dot label={label} color={color} />
      </span>
    </Tooltip>
  )
}

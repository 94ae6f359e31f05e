import { CloseOutlined } from '@ant-design/icons'
import { Button, Typography } from 'antd'
import { useEffect, useRef } from 'react'
import { formatTime } from '@/kit/format'
import { serverNow } from '@/api/clock'
import { currentPath } from '../nav'
import { deviceCode, deviceName } from '../session/device'
import type { UserInfo } from '../session/store'

/** What whoever helps will ask for. */
function facts(user: UserInfo): [string, string][] {
  return [
    ['账号', `${user.name} ${user.phone}`.trim()],
    ['角色', user.roles.map((role) => role.name).join('、') || '--'],
    ['页面', currentPath()],
    ['时间', formatTime(serverNow())],
    ['设备', `${deviceName(navigator.userAgent)}（${deviceCode().slice(-6)}）`],
  ]
}

/** Stands in for a customer service that did not load: says so, and what to do instead. */
export function ChatPanel({ user, onClose }: { user: UserInfo; onClose(): void }) {
  const panel = useRef<HTMLElement>(null)
  useEffect(() => panel.current?.focus(), [])
  useEffect(() => {
    const close = (event: KeyboardEvent) => event.key === 'Escape' && onClose()
    document.addEventListener('keydown', close)
    return () => document.removeEventListener('keydown', close)
  }, [onClose])
  const known = facts(user)
  return (
    <section ref={panel} role="dialog" aria-label="在线客服" tabIndex={-1} className="chat-panel">
      <header>
        <h2>在线客服</h2>
        <Button type="text" size="small" aria-label="关闭" icon={<CloseOutlined />} onClick={onClose} />
      </header>
      <p>在线客服没有打开：客服程序未能加载，请检查网络后重试。</p>
      <p className="weak">遇到问题请联系您的管理员，并附上下面的信息，便于尽快定位：</p>
      <dl>
        {known.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Typography.Text copyable={{ text: known.map(([name, value]) => `${name}：${value}`).join('\n'), tooltips: ['复制', '已复制'] }}>
        复制以上信息
      </Typography.Text>
    </section>
  )
}

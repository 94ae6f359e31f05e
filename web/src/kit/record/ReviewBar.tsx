import { Button, Space } from 'antd'
import { DownOutlined, UpOutlined } from '@ant-design/icons'
import { useEffect } from 'react'
import type { Neighbours } from '../list/useArrows'

/** What may be decided of a case. */
export interface Decision {
  key: string
  label: string
  /** The letter that does it. */
  hotkey: string
  primary?: boolean
  danger?: boolean
  /** Says why it cannot be decided so now; absent when it can. */
  unavailable?: string | undefined
  onDecide(): void
}

/** Whether letters typed there are text, or answer a question. */
function takesLetters(target: EventTarget | null): boolean {
  const takers = 'input, textarea, [contenteditable="true"], [role="dialog"] [role="dialog"], .ant-modal, .ant-image-preview, .ant-select, .ant-picker'
  return target instanceof HTMLElement && target.closest(takers) !== null
}

/** A case of a queue: what may be decided of it, by buttons or letters, and the cases before and behind it, by J and K too. */
export function ReviewBar({ decisions, neighbours: { previous, next } }: { decisions: readonly Decision[]; neighbours: Neighbours }) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || takesLetters(event.target)) return
      const letter = event.key.toLowerCase()
      const walk = letter === 'j' ? next : letter === 'k' ? previous : null
      if (walk) {
        event.preventDefault()
        return walk()
      }
      const found = decisions.find(({ hotkey }) => hotkey === letter)
      if (!found || found.unavailable) return
      event.preventDefault()
      found.onDecide()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  })
  return (
    <Space wrap size={8} role="toolbar" aria-label="审核">
      <Button size="small" type="text" aria-label="上一条" title="上一条（K 或 ↑）" icon={<UpOutlined />} disabled={previous === null} onClick={() => previous?.()} />
      <Button size="small" type="text" aria-label="下一条" title="下一条（J 或 ↓）" icon={<DownOutlined />} disabled={next === null} onClick={() => next?.()} />
      {decisions.map(({ key, label, hotkey, primary, danger, unavailable, onDecide }) => (
        <Button
          key={key}
          size="small"
          type={primary ? 'primary' : 'default'}
          danger={danger}
          disabled={Boolean(unavailable)}
          title={unavailable ?? `快捷键 ${hotkey.toUpperCase()}`}
          aria-keyshortcuts={hotkey.toUpperCase()}
          onClick={onDecide}
        >
          {label}
        </Button>
      ))}
    </Space>
  )
}

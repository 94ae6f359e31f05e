import { Button, Tooltip } from 'antd'
import type { ReactNode } from 'react'

interface ToolProps {
  label: string
  icon: ReactNode
  disabled?: boolean
  /** Of a tool that is taken up and laid down: whether it is in the hand. It says its name beside its sign. */
  pressed?: boolean
  /** What it does, when that is more than its name. */
  hint?: string
  onClick(): void
}

/** A tool of a drawing, by its sign. */
export function Tool({ label, icon, disabled, pressed, hint, onClick }: ToolProps) {
  return (
    <Tooltip title={hint ?? label}>
      <Button
        type="text"
        className={pressed ? 'tool-pressed' : undefined}
        aria-label={label}
        aria-pressed={pressed}
        icon={icon}
        disabled={disabled}
        onClick={onClick}
      >
        {pressed === undefined ? null : label}
      </Button>
    </Tooltip>
  )
}

import { Button, Tooltip } from 'antd'
import type { ReactNode } from 'react'

interface ToolProps {
  label: string
  icon: ReactNode
  disabled?: boolean
  onClick(): void
}

/** A tool of a drawing, by its sign. */
export function Tool({ label, icon, disabled, onClick }: ToolProps) {
  return (
    <Tooltip title={label}>
      <Button type="text" aria-label={label} icon={icon} disabled={disabled} onClick={onClick} />
    </Tooltip>
  )
}

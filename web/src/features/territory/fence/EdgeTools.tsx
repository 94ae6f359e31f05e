import { AimOutlined, DeleteOutlined, NodeIndexOutlined, RedoOutlined, UndoOutlined } from '@ant-design/icons'
import { Tool } from './Tool'

interface EdgeToolsProps {
  /** What is snapped to. */
  hint: string
  snapping: boolean
  onSnapping(snapping: boolean): void
  /** A step back and one forth; absent where there is none. */
  undo: (() => void) | undefined
  redo: (() => void) | undefined
  disabled: boolean
  /** Whether nothing is drawn yet. */
  empty: boolean
  onClear(): void
  /** Where the map looks again, and what that is called. */
  lookLabel: string
  onLook(): void
}

/** The tools that every drawing of an edge has. */
export function EdgeTools({ hint, snapping, onSnapping, undo, redo, disabled, empty, onClear, lookLabel, onLook }: EdgeToolsProps) {
  return (
    <>
      <Tool
        label="吸附"
        hint={`${hint}；按住 Alt 暂不吸附`}
        icon={<NodeIndexOutlined />}
        pressed={snapping}
        disabled={disabled}
        onClick={() => onSnapping(!snapping)}
      />
      <Tool label="撤销" icon={<UndoOutlined />} disabled={disabled || !undo} onClick={() => undo?.()} />
      <Tool label="重做" icon={<RedoOutlined />} disabled={disabled || !redo} onClick={() => redo?.()} />
      <Tool label="清空边界" icon={<DeleteOutlined />} disabled={disabled || empty} onClick={onClear} />
      <Tool label={lookLabel} icon={<AimOutlined />} onClick={onLook} />
    </>
  )
}

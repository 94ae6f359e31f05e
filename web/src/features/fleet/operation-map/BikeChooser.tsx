import { CloseOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { type CSSProperties, type KeyboardEvent, useState } from 'react'

import { BikeRows } from './BikeRows'

/** Several bikes at one place, the topmost first. */
export interface Choice {
  readonly slots: readonly number[]
  /** Px of the map. */
  readonly at: { readonly x: number; readonly y: number }
}

interface BikeChooserProps {
  choice: Choice
  onChoose: (slot: number) => void
  onClose: () => void
}

const WIDTH_PX = 300
const HEIGHT_PX = 280

/** Which of several at one place is meant. */
export function BikeChooser({ choice, onChoose, onClose }: BikeChooserProps) {
  const [active, setActive] = useState(choice.slots[0] ?? -1)
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    event.preventDefault()
    onClose()
  }
  // The style sheet keeps it within the map.
  const place = { '--at-x': `${choice.at.x}px`, '--at-y': `${choice.at.y}px`, '--width': `${WIDTH_PX}px`, '--height': `${HEIGHT_PX + 44}px` }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Esc of whatever has the focus in it
    <div className="opmap-chooser" role="dialog" aria-label={`此处有 ${choice.slots.length} 辆车`} style={place as CSSProperties} onKeyDown={press}>
      <header>
        <h3>此处有 {choice.slots.length} 辆车</h3>
        <Button type="text" size="small" aria-label="关闭列表" icon={<CloseOutlined />} onClick={onClose} />
      </header>
      <BikeRows slots={choice.slots} active={active} label="选择车辆" height={HEIGHT_PX} focused onActive={setActive} onChoose={onChoose} />
    </div>
  )
}

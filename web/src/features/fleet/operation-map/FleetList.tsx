import { DownOutlined, LeftOutlined, RightOutlined, UpOutlined } from '@ant-design/icons'
import { Button, Tooltip } from 'antd'
import { type RefCallback, useEffect, useState } from 'react'

import { BikeRows } from './BikeRows'

interface FleetListProps {
  /** The bikes that the filter holds. */
  slots: readonly number[]
  /** The chosen one, -1 for none. */
  chosen: number
  open: boolean
  /** Whether bikes beyond the view are missing. */
  partial: boolean
  /** Only counts are known so far out. */
  counted: boolean
  onOpen: (open: boolean) => void
  onChoose: (slot: number) => void
  onStep: (step: 1 | -1) => void
}

const whole = new Intl.NumberFormat('zh-CN')

/** What the filter holds, one by one, beside the map. */
export function FleetList({ slots, chosen, open, partial, counted, onOpen, onChoose, onStep }: FleetListProps) {
  const [height, body] = useHeight()
  const at = slots.indexOf(chosen)
  return (
    <section className={open ? 'opmap-list open' : 'opmap-list'} aria-label="车辆列表">
      <header>
        <button type="button" className="opmap-list-grip" aria-expanded={open} onClick={() => onOpen(!open)}>
          {open ? <UpOutlined aria-hidden /> : <DownOutlined aria-hidden />}
          列表
          {open && <b>{at === -1 ? `${whole.format(slots.length)} 辆` : `${at + 1} / ${whole.format(slots.length)}`}</b>}
        </button>
        {open && (
          <>
            <Tooltip title="上一辆（p）">
              <Button type="text" size="small" aria-label="上一辆" icon={<LeftOutlined />} disabled={slots.length === 0} onClick={() => onStep(-1)} />
            </Tooltip>
            <Tooltip title="下一辆（n）">
              <Button type="text" size="small" aria-label="下一辆" icon={<RightOutlined />} disabled={slots.length === 0} onClick={() => onStep(1)} />
            </Tooltip>
          </>
        )}
      </header>
      {open && (
        <div className="opmap-list-body" ref={body}>
          {counted ? (
            <p className="opmap-weak">范围太大，放大地图后逐辆列出。</p>
          ) : slots.length === 0 ? (
            <p className="opmap-weak">没有符合筛选的车辆</p>
          ) : (
            <BikeRows slots={slots} active={chosen} label="符合筛选的车辆，电量从低到高" height={height} onActive={onChoose} onChoose={onChoose} />
          )}
          {partial && !counted && <p className="opmap-weak opmap-partial">车辆较多，只列出视野附近的车辆。</p>}
        </div>
      )}
    </section>
  )
}

/** Height of a box that the style sheet sizes. */
function useHeight(): [number, RefCallback<HTMLElement>] {
  const [height, setHeight] = useState(0)
  const [box, setBox] = useState<HTMLElement | null>(null)
  useEffect(() => {
    if (box === null) return undefined
    const watch = new ResizeObserver(() => setHeight(box.clientHeight))
    watch.observe(box)
    return () => watch.disconnect()
  }, [box])
  return [height, setBox]
}

import { ExpandOutlined, HistoryOutlined, MinusOutlined, MoonOutlined, PlusOutlined, SunOutlined } from '@ant-design/icons'
import { Tooltip } from 'antd'
import type { Map as LeafletMap } from 'leaflet'
import type { ReactNode } from 'react'

import type { Daylight } from '@/map/palette'

interface MapToolsProps {
  map: LeafletMap | null
  daylight: Daylight
  onDaylight: (next: Daylight) => void
  onFitAll: () => void
  /** Looks back; null where that is done already. */
  onPast: (() => void) | null
  /** Whether the drawer stands at the right edge. */
  shifted: boolean
}

export function MapTools({ map, daylight, onDaylight, onFitAll, onPast, shifted }: MapToolsProps) {
  const other = daylight === 'day' ? 'night' : 'day'
  return (
    <div className={shifted ? 'opmap-tools shifted' : 'opmap-tools'} role="toolbar" aria-label="地图工具">
      <Tool label="放大" onClick={() => map?.zoomIn()}>
        <PlusOutlined aria-hidden />
      </Tool>
      <Tool label="缩小" onClick={() => map?.zoomOut()}>
        <MinusOutlined aria-hidden />
      </Tool>
      <Tool label="全部服务区" onClick={onFitAll}>
        <ExpandOutlined aria-hidden />
      </Tool>
      {onPast !== null && (
        <Tool label="回看最近 7 天" onClick={onPast}>
          <HistoryOutlined aria-hidden />
        </Tool>
      )}
      <Tool label={daylight === 'day' ? '夜间底图' : '日间底图'} onClick={() => onDaylight(other)}>
        {daylight === 'day' ? <MoonOutlined aria-hidden /> : <SunOutlined aria-hidden />}
      </Tool>
    </div>
  )
}

function Tool({ label, onClick, children }: { label: string; onClick: () => void; children: ReactNode }) {
  return (
    <Tooltip title={label} placement="left">
      <button type="button" aria-label={label} onClick={onClick}>
        {children}
      </button>
    </Tooltip>
  )
}

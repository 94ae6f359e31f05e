import { ExpandOutlined, HistoryOutlined, MinusOutlined, MoonOutlined, PlusOutlined, SunOutlined } from '@ant-design/icons'
import { Tooltip } from 'antd'
import type { Map as LeafletMap } from 'leaflet'
import type { ReactNode } from 'react'

import type { LassoMode } from '@/map/LassoTool'
import type { Daylight } from '@/map/palette'

import { blockedSign, boxSign, countsSign, heatSign, lassoSign, stationSign } from './MapToolIcons'
import type { MapLayers } from './useMapLayers'

interface MapToolsProps {
  map: LeafletMap | null
  daylight: Daylight
  onDaylight: (next: Daylight) => void
  onFitAll: () => void
  /** Looks back; null where that is done already. */
  onPast: (() => void) | null
  /** What can be laid on the map; null where nothing can. */
  layers: { readonly on: MapLayers; readonly toggle: (name: keyof MapLayers) => void } | null
  /** How bikes are taken by drawing around them; null where they cannot be. */
  lasso: { readonly mode: LassoMode | null; readonly onMode: (mode: LassoMode | null) => void } | null
  /** The board of bikes that cannot be rented; null where there is none. */
  board: { readonly open: boolean; readonly onOpen: () => void } | null
  /** Counts by area; absent where there are none. */
  counts?: { readonly open: boolean; readonly onOpen: () => void }
  /** Whether the drawer stands at the right edge. */
  shifted: boolean
  /** More tools, which come later. */
  children?: ReactNode
}

export function MapTools({ map, daylight, onDaylight, onFitAll, onPast, layers, lasso, board, counts, shifted, children }: MapToolsProps) {
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
      {lasso !== null && (
        <>
          <Tool label="框选车辆" pressed={lasso.mode === 'box'} onClick={() => lasso.onMode(lasso.mode === 'box' ? null : 'box')}>
            {boxSign}
          </Tool>
          <Tool label="圈选车辆" pressed={lasso.mode === 'lasso'} onClick={() => lasso.onMode(lasso.mode === 'lasso' ? null : 'lasso')}>
            {lassoSign}
          </Tool>
        </>
      )}
      {layers !== null && (
        <>
          <Tool label="热力" pressed={layers.on.heat} onClick={() => layers.toggle('heat')}>
            {heatSign}
          </Tool>
          <Tool label="站点水位" pressed={layers.on.stations} onClick={() => layers.toggle('stations')}>
            {stationSign}
          </Tool>
        </>
      )}
      {board !== null && (
        <Tool label="不可租看板" pressed={board.open} onClick={board.onOpen}>
          {blockedSign}
        </Tool>
      )}
      {counts !== undefined && (
        <Tool label="各服务区车辆" pressed={counts.open} onClick={counts.onOpen}>
          {countsSign}
        </Tool>
      )}
      {children}
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

interface ToolProps {
  label: string
  onClick: () => void
  children: ReactNode
  pressed?: boolean
  /** Whether the menu that it opens is open. */
  expanded?: boolean
}

export function Tool({ label, onClick, children, pressed, expanded }: ToolProps) {
  return (
    <Tooltip title={expanded ? null : label} placement="left">
      <button type="button" aria-label={label} aria-pressed={pressed} aria-expanded={expanded} onClick={onClick}>
        {children}
      </button>
    </Tooltip>
  )
}

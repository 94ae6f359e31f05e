import { ColumnWidthOutlined, MergeCellsOutlined, ScissorOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Alert, Segmented } from 'antd'
import type { Map as LeafletMap } from 'leaflet'
import { useContext, useEffect, useMemo, useState } from 'react'
import { useBrandStore } from '@/app/brand'
import { datumOf, MapWishes } from '@/map/base/chosen'
import type { Datum } from '@/map/datum'
import type { FenceMap } from '@/map/fences/fences'
import { FencesOnMap } from '@/map/layers'
import { MapView } from '@/map/MapView'
import { firstLook } from '@/map/firstLook'
import { Beside } from './Beside'
import { Coordinates } from './Coordinates'
import { EdgeTools } from './EdgeTools'
import { type FenceType, fencesAround, type Geometry } from './fence'
import { boundsOfRing, polygonOf, type Ring, ringOf, ZOOM_MOST } from './geometry'
import { Measured, SideLabels } from './Measured'
import { beside as besideOf, merge } from './merge'
import { MergeBar } from './MergeBar'
import type { Mode } from './drawTool'
import { Pen } from './Pen'
import { nameOfPiece, NO_PLAN, ofType, PIECES_MOST, type Plan } from './plan'
import { PlanList } from './PlanList'
import { targetsOf } from './snapping'
import { split } from './split'
import { Tool } from './Tool'
import { useSteps } from './useSteps'
import './fence.css'

const MARGIN_PX: [number, number] = [24, 24]
/** So many neighbours are offered for merging. */
const NEIGHBOURS_MOST = 20
const hints: Readonly<Record<Mode, string>> = {
  select: '拖动顶点或中点，右键删除顶点',
  polygon: '逐点单击，双击或回到起点结束',
  circle: '单击圆心，再单击圆边',
  split: '从围栏外画一条线穿过围栏，双击结束；Esc 退出',
  merge: '选择相接的同类围栏；Esc 退出',
  measure: '逐点单击，双击结束，再单击重新开始；Esc 退出',
}

interface DrawFieldProps {
  /** The area it lies in; drawing begins when that is chosen. */
  areaId: string | undefined
  /** The fence that is drawn anew: it is not shown beneath itself. */
  fenceId?: string | undefined
  /** What else is to be seen beneath, by name. */
  beside?: FenceMap['customs']
  disabled?: boolean
  /** The datum that it was drawn in: its coordinates stand there in that. */
  datum?: Datum
  /** Coordinates were typed in this datum. */
  onDatum?(datum: Datum): void
  /** What kind of fence it is, and what it is called: it is merged with its like. */
  type?: FenceType
  name?: string
  /** What is saved beside it; absent where it is neither split nor merged. */
  plan?: Plan
  onPlan?(plan: Plan): void
  /** WGS-84, whatever it was drawn in. */
  value?: Geometry | null
  onChange?(geometry: Geometry | null): void
}

/** The edge of a fence on a map: drawn, dragged corner by corner, split, merged, measured, or typed as coordinates. */
export default function DrawField(props: DrawFieldProps) {
  const { areaId, fenceId, beside, disabled = false, datum = 'wgs84', onDatum, type, name = '', plan = NO_PLAN, onPlan, value = null, onChange } = props
  const around = useQuery(fencesAround)
  const wish = useContext(MapWishes)
  const tiles = useBrandStore((store) => store.config?.tiles ?? null)
  const [map, setMap] = useState<LeafletMap | null>(null)
  const [mode, setModeOf] = useState<Mode>(value === null ? 'polygon' : 'select')
  const [snapping, setSnapping] = useState(true)
  const [fault, setFault] = useState<string | null>(null)
  const [line, setLine] = useState<Ring>([])
  const area = around.data?.areas.find(({ id }) => id === areaId)
  const fences = useMemo(() => {
    if (!around.data) return undefined
    const others = (all: FenceMap['parkings'] = []) => all.filter(({ id }) => id !== fenceId)
    const { areas, parkings, noStops, noRides, customs } = around.data
    return {
      areas: areas.filter(({ id }) => id === areaId),
      parkings: others(parkings),
      noStops: others(noStops),
      noRides: others(noRides),
      customs: others(customs),
    }
  }, [around.data, areaId, fenceId])

  const setMode = (next: Mode) => {
    setModeOf(next)
    setFault(null)
    setLine([])
  }
  const resting = value === null ? 'polygon' : 'select'
  // Laid down again, it is put away.
  const take = (tool: Mode) => setMode(mode === tool ? resting : tool)
  // What is there is adjusted; where there is nothing, something is drawn.
  const put = (step: { geometry: Geometry | null; plan: Plan }) => {
    onPlan?.(step.plan)
    onChange?.(step.geometry)
    setMode(step.geometry === null ? 'polygon' : 'select')
  }
  const { change, undo, redo } = useSteps({ geometry: value, plan }, put)
  const draw = (geometry: Geometry | null) => change({ geometry, plan: geometry === null ? NO_PLAN : plan })

  const cut = (along: Ring) => {
    if (value === null) return
    const found = plan.pieces.length < PIECES_MOST ? split(ringOf(value), along) : { fault: `一次最多分出 ${PIECES_MOST} 块，请先保存` }
    if ('fault' in found) {
      setFault(found.fault)
      return
    }
    const [stays, goes] = found.pieces
    change({ geometry: polygonOf(stays), plan: { ...plan, pieces: [...plan.pieces, { geometry: polygonOf(goes), name: '' }] } })
  }
  const neighbours = useMemo(() => {
    if (mode !== 'merge' || value === null) return []
    const merged = new Set(plan.merged.map(({ id }) => id))
    const like = ofType(fences, type).filter((one) => one.areaId === areaId && !merged.has(one.id))
    return besideOf(ringOf(value), like, NEIGHBOURS_MOST)
  }, [mode, value, fences, type, areaId, plan])
  const takeIn = ({ id, name: called, ring }: FenceMap['parkings'][number]) => {
    if (value === null) return
    const found = merge(ringOf(value), ring)
    if ('fault' in found) setFault(`「${called}」：${found.fault}`)
    else change({ geometry: polygonOf(found.ring), plan: { ...plan, merged: [...plan.merged, { id, name: called }] } })
  }
  const replan = (pieces: Plan['pieces'], geometry = value) => change({ geometry, plan: { ...plan, pieces } })

  const shown = area?.ring
  const reach = useMemo(() => shown && boundsOfRing(shown), [shown])
  const look = (animate: boolean) => {
    const ring = value === null ? shown : ringOf(value)
    if (map && ring && ring.length > 0) map.fitBounds(boundsOfRing(ring), { padding: MARGIN_PX, animate, maxZoom: ZOOM_MOST })
  }
  useEffect(() => {
    return map ? firstLook(map, () => look(false)) : undefined
    // Once for each area: what is drawn must not move under the hand.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [map, shown])

  const dashed = useMemo(() => {
    const piece = ({ geometry }: Plan['pieces'][number], label: string) => ({ id: label, areaId: areaId ?? '', name: label, capacity: 0, ring: ringOf(geometry) })
    return [...(beside ?? []), ...plan.pieces.map((one, index) => piece(one, nameOfPiece(one, name, index)))]
  }, [beside, plan, name, areaId])
  const about = useMemo(() => {
    const { areas = [], parkings = [], noStops = [], noRides = [], customs = [] } = fences ?? {}
    return targetsOf([...areas, ...parkings, ...noStops, ...noRides, ...customs].map(({ ring }) => ring))
  }, [fences])
  const targets = useMemo(() => {
    if (!snapping) return []
    // A cut, and what is measured, may begin at a corner of the fence itself.
    const own = (mode === 'split' || mode === 'measure') && value !== null ? [ringOf(value)] : []
    return [...about, ...targetsOf([...own, ...dashed.map(({ ring }) => ring)])]
  }, [snapping, about, dashed, mode, value])
  const sides = useMemo(() => (mode === 'measure' && value?.type === 'Polygon' ? ringOf(value) : null), [mode, value])

  if (!areaId) return <Alert type="info" showIcon title="先选择服务区，再在地图上画围栏" />
  if (around.data && !area) return <Alert type="warning" showIcon title="服务区还没有边界，无法画围栏" />
  const none = disabled || value === null
  return (
    <div className="fence-draw">
      <div className="fence-draw-tools">
        <Segmented<Mode>
          aria-label="绘制方式"
          disabled={disabled}
          value={mode}
          onChange={setMode}
          options={[
            { value: 'select', label: '调整', disabled: value === null },
            { value: 'polygon', label: '多边形' },
            { value: 'circle', label: '圆形' },
          ]}
        />
        {onPlan && (
          <>
            <Tool label="分割" icon={<ScissorOutlined />} pressed={mode === 'split'} disabled={none} onClick={() => take('split')} />
            <Tool label="合并" icon={<MergeCellsOutlined />} pressed={mode === 'merge'} disabled={none} onClick={() => take('merge')} />
          </>
        )}
        <Tool label="测量" icon={<ColumnWidthOutlined />} pressed={mode === 'measure'} disabled={disabled} onClick={() => take('measure')} />
        <EdgeTools
          hint="靠近其他围栏的顶点和边时对齐"
          snapping={snapping}
          onSnapping={setSnapping}
          undo={undo}
          redo={redo}
          disabled={disabled}
          empty={value === null}
          onClear={() => draw(null)}
          lookLabel="回到围栏"
          onLook={() => look(true)}
        />
        <span className="weak">{hints[mode]}</span>
      </div>
      {map && mode === 'merge' && <MergeBar map={map} neighbours={neighbours} onMerge={takeIn} />}
      <div className="fence-draw-map">
        {shown && (
          <MapView
            start={{ lat: shown[0]![1]!, lng: shown[0]![0]!, zoom: 14 }}
            daylight="day"
            tiles={tiles}
            label="围栏边界"
            reach={reach}
            onReady={setMap}
          >
            <FencesOnMap daylight="day" fences={fences} />
          </MapView>
        )}
        {fault !== null && <Alert className="fence-refused" type="warning" showIcon title={fault} closable={{ onClose: () => setFault(null) }} />}
        {map && dashed.length > 0 && <Beside map={map} shapes={dashed} />}
        {map && sides && <SideLabels map={map} ring={sides} />}
        {map && !disabled && (
          <Pen
            map={map}
            mode={mode}
            value={value}
            targets={targets}
            onDrawn={(geometry) => {
              onDatum?.(wish.datum ?? datumOf(map))
              draw(geometry)
            }}
            onCut={cut}
            onMeasure={setLine}
            onLeave={() => setMode(resting)}
          />
        )}
      </div>
      <Measured value={value} line={mode === 'measure' ? line : null} />
      {onPlan && (
        <PlanList
          name={name}
          plan={plan}
          disabled={disabled}
          onRename={(index, called) => {
            onPlan({ ...plan, pieces: plan.pieces.with(index, { ...plan.pieces[index]!, name: called }) })
            onChange?.(value)
          }}
          onSwap={(index) => value && replan(plan.pieces.with(index, { ...plan.pieces[index]!, geometry: value }), plan.pieces[index]!.geometry)}
          onDrop={(index) => replan(plan.pieces.toSpliced(index, 1))}
        />
      )}
      <Coordinates
        value={value}
        datum={datum}
        disabled={disabled}
        onRead={(geometry, of) => {
          onDatum?.(of)
          draw(geometry)
        }}
      />
    </div>
  )
}

import { AimOutlined, DeleteOutlined, RedoOutlined, UndoOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { Alert, Button, Input, Segmented } from 'antd'
import L, { type Map as LeafletMap } from 'leaflet'
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { type GeoJSONStoreFeatures, TerraDraw, TerraDrawCircleMode, TerraDrawPolygonMode, TerraDrawSelectMode } from 'terra-draw'
import { TerraDrawLeafletAdapter } from 'terra-draw-leaflet-adapter'
import { useBrandStore } from '@/app/brand'
import { type Datum, datumLabels } from '@/map/datum'
import type { FenceMap } from '@/map/fences/fences'
import { FencesOnMap } from '@/map/layers'
import { MapView } from '@/map/MapView'
import { Beside } from './Beside'
import { fencesAround, type Geometry } from './fence'
import { boundsOfRing, converted, geometryOf, read, ringOf, written, ZOOM_MOST } from './geometry'
import { Tool } from './Tool'
import { useSteps } from './useSteps'
import './fence.css'

const MARGIN_PX: [number, number] = [24, 24]
type Mode = 'polygon' | 'circle' | 'select'
/** What coordinates are typed and copied in. */
const DATUMS = (['wgs84', 'gcj02'] as const).map((value) => ({ value, label: datumLabels[value] }))

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
  /** WGS-84, whatever it was drawn in. */
  value?: Geometry | null
  onChange?(geometry: Geometry | null): void
}

/** The edge of a fence on a map: drawn, dragged corner by corner, or typed as coordinates. */
export default function DrawField({ areaId, fenceId, beside, disabled = false, datum = 'wgs84', onDatum, value = null, onChange }: DrawFieldProps) {
  const around = useQuery(fencesAround)
  const tiles = useBrandStore((store) => store.config?.tiles ?? null)
  const [map, setMap] = useState<LeafletMap | null>(null)
  const [mode, setMode] = useState<Mode>(value === null ? 'polygon' : 'select')
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

  // What is there is adjusted; where there is nothing, something is drawn.
  const put = (geometry: Geometry | null) => {
    onChange?.(geometry)
    setMode(geometry === null ? 'polygon' : 'select')
  }
  const { change, undo, redo } = useSteps(value, put)

  const shown = area?.ring
  const reach = useMemo(() => shown && boundsOfRing(shown), [shown])
  const look = (animate: boolean) => {
    const ring = value === null ? shown : ringOf(value)
    if (map && ring && ring.length > 0) map.fitBounds(boundsOfRing(ring), { padding: MARGIN_PX, animate, maxZoom: ZOOM_MOST })
  }
  useEffect(() => {
    map?.invalidateSize({ animate: false })
    look(false)
    // Once for each area: what is drawn must not move under the hand.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [map, shown])

  if (!areaId) return <Alert type="info" showIcon title="先选择服务区，再在地图上画围栏" />
  if (around.data && !area) return <Alert type="warning" showIcon title="服务区还没有边界，无法画围栏" />
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
        <Tool label="撤销" icon={<UndoOutlined />} disabled={disabled || !undo} onClick={() => undo?.()} />
        <Tool label="重做" icon={<RedoOutlined />} disabled={disabled || !redo} onClick={() => redo?.()} />
        <Tool label="清空边界" icon={<DeleteOutlined />} disabled={disabled || value === null} onClick={() => change(null)} />
        <Tool label="回到围栏" icon={<AimOutlined />} onClick={() => look(true)} />
        <span className="weak">
          {mode === 'polygon' ? '逐点单击，双击或回到起点结束' : mode === 'circle' ? '单击圆心，再单击圆边' : '拖动顶点或中点，右键删除顶点'}
        </span>
      </div>
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
        {map && beside && <Beside map={map} shapes={beside} />}
        {map && !disabled && (
          <Pen
            map={map}
            mode={mode}
            value={value}
            onDrawn={change}
          />
        )}
      </div>
      <Coordinates
        value={value}
        datum={datum}
        disabled={disabled}
        onRead={(geometry, of) => {
          onDatum?.(of)
          change(geometry)
        }}
      />
    </div>
  )
}

/** The drawing tool on the map: what it draws is told when it is finished, what comes from outside replaces it. */
function Pen({ map, mode, value, onDrawn }: { map: LeafletMap; mode: Mode; value: Geometry | null; onDrawn(geometry: Geometry): void }) {
  const told = useRef<Geometry | null>(null)
  const drawn = useEffectEvent((geometry: Geometry) => {
    told.current = geometry
    onDrawn(geometry)
  })
  const [draw] = useState(() => {
    const corners = { midpoints: true, draggable: true, deletable: true }
    return new TerraDraw({
      adapter: new TerraDrawLeafletAdapter({ lib: L, map, coordinatePrecision: 9 }),
      modes: [
        new TerraDrawPolygonMode({ pointerDistance: 16 }),
        new TerraDrawCircleMode(),
        new TerraDrawSelectMode({
          flags: {
            polygon: { feature: { draggable: true, coordinates: corners } },
            circle: { feature: { draggable: true, coordinates: { draggable: true, resizable: 'center' } } },
          },
        }),
      ],
    })
  })
  useEffect(() => {
    draw.start()
    draw.on('finish', (id) => {
      const feature = draw.getSnapshotFeature(id)
      if (feature?.geometry.type === 'Polygon') drawn(geometryOf(feature.geometry.coordinates[0] ?? [], feature.properties['radiusKilometers']))
    })
    return () => draw.stop()
  }, [draw])

  useEffect(() => {
    draw.setMode(mode)
    const lies = draw.getSnapshot().find(({ geometry }) => geometry.type === 'Polygon')
    // What the tool has just told lies on it already, and is not taken out of the hand.
    if (mode === 'select' && value !== null && value === told.current && lies?.id !== undefined) {
      draw.selectFeature(lies.id)
      return
    }
    // One edge at a time: beginning another begins on an empty map.
    draw.clear()
    told.current = value
    if (mode !== 'select' || value === null) return
    const [added] = draw.addFeatures([featureOf(value)])
    if (added?.id !== undefined && added.valid) draw.selectFeature(added.id)
  }, [draw, mode, value])
  return null
}

function featureOf(geometry: Geometry): GeoJSONStoreFeatures {
  const properties: GeoJSONStoreFeatures['properties'] =
    geometry.type === 'Point' ? { mode: 'circle', radiusKilometers: geometry.radiusM / 1000 } : { mode: 'polygon' }
  return { type: 'Feature', geometry: { type: 'Polygon', coordinates: [ringOf(geometry)] }, properties }
}

interface CoordinatesProps {
  value: Geometry | null
  datum: Datum
  disabled: boolean
  onRead(geometry: Geometry, datum: Datum): void
}

/** The same as numbers, in either datum: to type, to copy, to paste. */
function Coordinates({ value, datum, disabled, onRead }: CoordinatesProps) {
  const [shownIn, setShownIn] = useState(datum)
  const [typed, setTyped] = useState<string | null>(null)
  const text = typed ?? written(value && converted(value, shownIn, 'out'))
  const geometry = typed === null ? null : read(typed)
  return (
    <details className="fence-coordinates">
      <summary>坐标（{datumLabels[shownIn]}）</summary>
      {/* What is typed keeps its numbers and is read in the other datum. */}
      <Segmented<Datum>
        aria-label="坐标系"
        size="small"
        value={shownIn}
        onChange={setShownIn}
        options={DATUMS}
      />
      <span className="weak">{shownIn === 'wgs84' ? 'GPS、天地图的坐标' : '高德、腾讯地图的坐标'}</span>
      <Input.TextArea
        aria-label="坐标"
        autoSize={{ minRows: 3, maxRows: 8 }}
        disabled={disabled}
        value={text}
        placeholder={'每行一个顶点：经度, 纬度\n圆形写一行：经度, 纬度, 半径（米）'}
        status={typed !== null && geometry === null ? 'error' : ''}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Button
        size="small"
        disabled={disabled || geometry === null}
        onClick={() => {
          if (geometry) onRead(converted(geometry, shownIn, 'in'), shownIn)
          setTyped(null)
        }}
      >
        画到地图上
      </Button>
      {typed !== null && geometry === null && <span className="fence-fault">至少三行“经度, 纬度”，或一行“经度, 纬度, 半径”</span>}
    </details>
  )
}

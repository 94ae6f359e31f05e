import { useQuery } from '@tanstack/react-query'
import { Button, Input, Segmented, Space, Upload } from 'antd'
import type { Map as LeafletMap } from 'leaflet'
import { useEffect, useMemo, useState } from 'react'
import { useBrandStore } from '@/app/brand'
import { boundsOf } from '@/map/fences/fences'
import { FencesOnMap } from '@/map/layers'
import { MapView } from '@/map/MapView'
import { firstLook } from '@/map/firstLook'
import { EdgeTools } from '../fence/EdgeTools'
import { fencesAround, type Geometry } from '../fence/fence'
import { boundsOfRing, written, ZOOM_MOST } from '../fence/geometry'
import { formatKm2 } from './areaFence'
import { cornersOf, countOf, HANDLES_MOST, type Place, polygonOf, readEdge, type Ring } from './corners'
import { EdgeOnMap } from './EdgeOnMap'
import { Handles, type Sight } from './Handles'
import { Pen } from './Pen'
import { area_m2, formatLength, sides_m, sum } from '../fence/measure'
import { snapped, targetsOf } from '../fence/snapping'
import { useSteps } from '../fence/useSteps'
import '../fence/fence.css'
import './area-fence.css'

const MARGIN_PX: [number, number] = [24, 24]
/** Where nothing is known yet: the whole country. */
const COUNTRY = { lat: 35, lng: 105, zoom: 4 }
type Mode = 'adjust' | 'draw'

interface EdgeFieldProps {
  /** The area whose edge it is; none: a new one. */
  areaId: string | undefined
  /** The edge that holds, shown dashed beneath what is drawn. */
  original: Geometry | null
  disabled?: boolean
  value?: Geometry | null
  onChange?(geometry: Geometry | null): void
}

/** The edge of an area on a map: drawn, adjusted at the corners in sight, or given as coordinates. */
export default function EdgeField({ areaId, original, disabled = false, value = null, onChange }: EdgeFieldProps) {
  const around = useQuery(fencesAround)
  const tiles = useBrandStore((store) => store.config?.tiles ?? null)
  const [map, setMap] = useState<LeafletMap | null>(null)
  const [mode, setMode] = useState<Mode>(value === null ? 'draw' : 'adjust')
  const [snapping, setSnapping] = useState(true)
  const [sight, setSight] = useState<Sight>({ corners: 0, handles: 0 })
  const ring = useMemo(() => cornersOf(value), [value])
  const before = useMemo(() => cornersOf(original), [original])
  // Its own edge is drawn as it is being changed; what lies in it and beside it stays where it is.
  const others = useMemo(
    () => around.data && { ...around.data, areas: around.data.areas.filter(({ id }) => id !== areaId) },
    [around.data, areaId],
  )
  const neighbours = useMemo(() => (around.data ? boundsOf(around.data) : null), [around.data])
  const targets = useMemo(() => targetsOf((others?.areas ?? []).map((area) => area.ring)), [others])
  const snap = (place: Place) => (snapping && map ? snapped(targets, place, map.getZoom()) : undefined)
  const changed = value !== null && original !== null && JSON.stringify(value.coordinates) !== JSON.stringify(original.coordinates)

  const put = (geometry: Geometry | null) => {
    onChange?.(geometry)
    setMode(geometry === null ? 'draw' : 'adjust')
  }
  const { change: step, undo, redo } = useSteps(value, put)
  const change = (next: Ring | null) => {
    if (next !== ring) step(next === null ? null : polygonOf(next))
  }

  const look = (at: Ring) => {
    const bounds = at.length > 0 ? boundsOfRing(at) : neighbours
    if (map && bounds) map.fitBounds(bounds, { padding: MARGIN_PX, animate: false, maxZoom: ZOOM_MOST })
  }
  useEffect(() => {
    return map ? firstLook(map, () => look(ring.length > 0 ? ring : before)) : undefined
    // Once: what is drawn must not move under the hand.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [map, before.length > 0 || neighbours !== null])

  const reach = useMemo(() => (ring.length > 0 ? boundsOfRing(ring) : neighbours), [ring, neighbours])
  return (
    <div className="fence-draw">
      <div className="fence-draw-tools">
        <Segmented<Mode>
          aria-label="绘制方式"
          disabled={disabled}
          value={mode}
          onChange={setMode}
          options={[
            { value: 'adjust', label: '调整', disabled: value === null },
            { value: 'draw', label: '重新画' },
          ]}
        />
        <EdgeTools
          hint="靠近其他服务区的边界时对齐"
          snapping={snapping}
          onSnapping={setSnapping}
          undo={undo}
          redo={redo}
          disabled={disabled}
          empty={value === null}
          onClear={() => change(null)}
          lookLabel="看全边界"
          onLook={() => look(ring.length > 0 ? ring : before)}
        />
        <span className="weak" role="status">
          {mode === 'draw' ? '逐点单击，双击或回到起点结束' : adjusting(sight, countOf(ring))}
        </span>
      </div>
      <div className="fence-draw-map">
        <MapView start={COUNTRY} daylight="day" tiles={tiles} label="服务区边界" reach={reach} onReady={setMap}>
          <FencesOnMap daylight="day" fences={others} />
        </MapView>
        {map && before.length > 0 && (changed || mode === 'draw') && <EdgeOnMap map={map} ring={before} look="before" />}
        {map && mode === 'adjust' && disabled && <EdgeOnMap map={map} ring={ring} look="drawn" />}
        {map && mode === 'adjust' && !disabled && <Handles map={map} ring={ring} snap={snap} onChange={change} onSight={setSight} />}
        {map && mode === 'draw' && !disabled && <Pen map={map} snap={snap} onDrawn={change} />}
      </div>
      {ring.length > 0 && (
        <p className="weak edge-legend">
          面积 {formatKm2(area_m2(ring))} · 周长 {formatLength(sum(sides_m(ring)))}
        </p>
      )}
      {changed && <p className="weak edge-legend">虚线是现在生效的边界，实线是保存后的边界</p>}
      <Coordinates value={value} disabled={disabled} onRead={(geometry) => change(cornersOf(geometry))} />
    </div>
  )
}

/** What can be done with so many corners in sight of all. */
function adjusting({ corners, handles }: Sight, all: number): string {
  const said = `视野内 ${corners.toLocaleString()} / 共 ${all.toLocaleString()} 个顶点`
  if (corners === 0) return `${said}，移动地图到边界上`
  if (handles === 0) return `${said}，太密无法逐个拖动：放大到视野内不超过 ${HANDLES_MOST} 个，或用坐标修改`
  return `${said}${handles < corners ? `，只能拖动离中心最近的 ${handles} 个` : ''}：拖动顶点，拖动边的中点增加，右键删除`
}

const NO_EDGE = '至少三行“经度, 纬度”，或一个没有洞的 GeoJSON 多边形'
/** Ten thousand corners, written out with as much air as anybody does. */
const FILE_MOST_BYTES = 5_000_000

/** The same as numbers: to type, to copy, to paste, to take from a file. Written out when it is opened, for thousands of lines take a while. */
function Coordinates({ value, disabled, onRead }: { value: Geometry | null; disabled: boolean; onRead(geometry: Geometry): void }) {
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState<string | null>(null)
  const [unread, setUnread] = useState<string | null>(null)
  const geometry = useMemo(() => (typed === null ? null : readEdge(typed)), [typed])
  const fault = unread ?? (typed !== null && geometry === null ? NO_EDGE : null)
  const take = (found: Geometry) => {
    onRead(found)
    setTyped(null)
    setUnread(null)
  }
  const readFile = async (file: File) => {
    const found = file.size > FILE_MOST_BYTES ? null : readEdge(await file.text())
    if (found) take(found)
    else setUnread(`文件“${file.name}”读不出边界：${file.size > FILE_MOST_BYTES ? '不能超过 5 MB' : NO_EDGE}`)
  }
  return (
    <details className="fence-coordinates" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>坐标（WGS-84）</summary>
      {open && (
        <>
          <Input.TextArea
            aria-label="坐标"
            rows={8}
            disabled={disabled}
            value={typed ?? written(value)}
            placeholder={'每行一个顶点：经度, 纬度\n或粘贴 GeoJSON：一个没有洞的多边形'}
            status={typed !== null && geometry === null ? 'error' : ''}
            onChange={({ target }) => {
              setTyped(target.value)
              setUnread(null)
            }}
          />
          <Space size="small">
            <Button size="small" disabled={disabled || geometry === null} onClick={() => geometry && take(geometry)}>
              画到地图上
            </Button>
            <Upload
              accept=".geojson,.json,.txt,.csv"
              showUploadList={false}
              disabled={disabled}
              beforeUpload={(file) => {
                void readFile(file)
                return false
              }}
            >
              <Button size="small" disabled={disabled}>
                从文件读取
              </Button>
            </Upload>
          </Space>
          {fault !== null && <span className="fence-fault">{fault}</span>}
        </>
      )}
    </details>
  )
}

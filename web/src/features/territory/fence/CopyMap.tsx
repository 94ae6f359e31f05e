import { AimOutlined, BorderOuterOutlined } from '@ant-design/icons'
import L, { type Map as LeafletMap } from 'leaflet'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import { useBrandStore } from '@/app/brand'
import type { FenceMap } from '@/map/fences/fences'
import { FencesOnMap } from '@/map/layers'
import { MapView } from '@/map/MapView'
import { mapPalettes } from '@/map/palette'
import { firstLook } from '@/map/firstLook'
import { latLngsOf } from '../area-fence/EdgeOnMap'
import { moved } from './copy'
import { boundsOfRing, type Place, type Ring } from './geometry'
import { Tool } from './Tool'
import '../area-fence/area-fence.css'
import './fence.css'

const MARGIN_PX: [number, number] = [48, 48]
/** So near one looks first: the streets around are in sight. */
const ZOOM_FIRST = 17
const HANDLE_PX = 18
/** Pixels that an arrow key moves by; with Shift one. */
const STEP_PX = 10
const steps: Readonly<Record<string, readonly [number, number]>> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

interface CopyMapProps {
  /** The area that they are copied to, with what lies in it. */
  fences: FenceMap
  rings: readonly Ring[]
  /** Where their middle is, and where it shall be. */
  from: Place
  to: Place
  onTo(to: Place): void
}

/** Shapes that are moved together: by the handle in their middle, with the pointer or the arrow keys. */
export default function CopyMap({ fences, rings, from, to, onTo }: CopyMapProps) {
  const tiles = useBrandStore((store) => store.config?.tiles ?? null)
  const [map, setMap] = useState<LeafletMap | null>(null)
  const [handle, setHandle] = useState<{ marker: L.Marker; show(to: Place): void } | null>(null)
  const move = useEffectEvent(onTo)
  const edge = fences.areas[0]?.ring
  const reach = useMemo(() => edge && boundsOfRing(edge), [edge])
  const look = (whole: boolean) => {
    const bounds = whole && reach ? reach : boundsOfRing(rings.flatMap((ring) => moved(ring, from, to)))
    map?.fitBounds(bounds, { padding: MARGIN_PX, animate: false, ...(whole ? {} : { maxZoom: ZOOM_FIRST }) })
  }
  useEffect(() => {
    return map ? firstLook(map, () => look(false)) : undefined
    // Once for each area: what is moved must not move under the hand.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [map, edge])

  useEffect(() => {
    if (!map) return undefined
    const ink = mapPalettes.day.accent
    const shapes = L.polygon([], { color: ink, weight: 2, fillColor: ink, fillOpacity: 0.15, interactive: false, renderer: L.canvas() }).addTo(map)
    const show = (place: Place) => shapes.setLatLngs(rings.map((ring) => [latLngsOf(moved(ring, from, place))]))
    const icon = L.divIcon({ className: 'edge-handle edge-corner', iconSize: [HANDLE_PX, HANDLE_PX] })
    const marker = L.marker([from[1], from[0]], { icon, draggable: true, keyboard: true, title: '拖动，或用方向键移动' }).addTo(map)
    const here = (): Place => [marker.getLatLng().lng, marker.getLatLng().lat]
    marker.on('drag', () => show(here()))
    marker.on('dragend', () => move(here()))
    const keys = (event: KeyboardEvent) => {
      const step = steps[event.key]
      if (!step) return
      // Or the map moves along.
      event.preventDefault()
      event.stopPropagation()
      const by = event.shiftKey ? 1 : STEP_PX
      const { lng, lat } = map.unproject(map.project(marker.getLatLng()).add([step[0] * by, step[1] * by]))
      move([lng, lat])
    }
    const element = marker.getElement()
    element?.setAttribute('aria-label', '移动围栏')
    element?.addEventListener('keydown', keys)
    setHandle({ marker, show })
    return () => {
      element?.removeEventListener('keydown', keys)
      marker.remove()
      shapes.remove()
      setHandle(null)
    }
  }, [map, rings, from])
  useEffect(() => {
    handle?.marker.setLatLng([to[1], to[0]])
    handle?.show(to)
  }, [handle, to])

  return (
    <>
      <div className="fence-draw-tools">
        <Tool label="回到围栏" icon={<AimOutlined />} onClick={() => look(false)} />
        <Tool label="看全服务区" icon={<BorderOuterOutlined />} onClick={() => look(true)} />
        <span className="weak">拖动中间的圆点；键盘用 Tab 选中圆点后按方向键，Shift 微调</span>
      </div>
      <div className="fence-draw-map">
        <MapView start={{ lat: to[1], lng: to[0], zoom: ZOOM_FIRST }} daylight="day" tiles={tiles} label="复制到的位置" reach={reach} onReady={setMap}>
          <FencesOnMap daylight="day" fences={fences} />
        </MapView>
      </div>
    </>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import L, { type Map as LeafletMap } from 'leaflet'
import { useEffect, useMemo, useState } from 'react'
import { useBrandStore } from '@/app/brand'
import { failureText } from '@/api/client'
import type { Corners } from '@/map/bounds'
import { firstLook } from '@/map/firstLook'
import { TrackOnMap } from '@/map/layers'
import { MapView } from '@/map/MapView'
import { ink } from '@/kit/theme'
import { mapPalettes } from '@/map/palette'
import { type NamedPlace, PlacesOnMap } from '@/map/PlacesOnMap'
import { type OrderInfo, orderTrack } from './order'

/** So much about the places can be looked at, some kilometres. */
const AROUND_DEGREES = 0.03
const NO_POINTS: readonly never[] = []
const MARGIN_PX: [number, number] = [32, 32]
const { accent } = mapPalettes.day
const NO_STOP = 4
const look = { weight: 2, fillOpacity: 0.1 }

type Fence = NonNullable<NonNullable<OrderInfo['fence']>['drawn']>

/** The fence that decided, as it was drawn then. */
function FenceThen({ map, fence }: { map: LeafletMap; fence: Fence }) {
  useEffect(() => {
    const color = fence.kind === NO_STOP ? ink.danger : accent
    const style = { ...look, color, fillColor: color, interactive: false, renderer: L.canvas() }
    const drawn =
      fence.center && fence.radiusM !== null
        ? L.circle([fence.center.lat, fence.center.lng], { ...style, radius: fence.radiusM })
        : L.polygon(
            fence.ring.map(([lng, lat]) => [lat!, lng!] as [number, number]),
            style,
          )
    drawn.addTo(map)
    return () => {
      drawn.remove()
    }
  }, [map, fence])
  return null
}

/** Where a ride began and ended, the fence that decided, and, once asked for, its way: that is whereabouts, and who looks is kept. */
export default function OrderMap({ order }: { order: OrderInfo }) {
  const { orderId, startLat, startLng, endLat, endLng, fence } = order
  const tiles = useBrandStore((store) => store.config?.tiles ?? null)
  const [map, setMap] = useState<LeafletMap | null>(null)
  const track = useQuery(orderTrack(orderId))
  const points = track.data?.points ?? NO_POINTS
  const places = useMemo<NamedPlace[]>(() => {
    const of = (lat: number | null | undefined, lng: number | null | undefined, name: string, main: boolean) =>
      typeof lat === 'number' && typeof lng === 'number' ? [{ lat, lng, name, main }] : []
    return [...of(startLat, startLng, '开始', true), ...of(endLat, endLng, '结束', true)]
  }, [startLat, startLng, endLat, endLng])
  const box = useMemo<Corners | null>(() => {
    const all = [...places, ...points]
    if (all.length === 0) return null
    const [lats, lngs] = [all.map(({ lat }) => lat), all.map(({ lng }) => lng)]
    return [
      [Math.min(...lats), Math.min(...lngs)],
      [Math.max(...lats), Math.max(...lngs)],
    ]
  }, [places, points])
  useEffect(() => {
    if (!map || !box) return undefined
    return firstLook(map, () => map.fitBounds(L.latLngBounds(box[0] as [number, number], box[1] as [number, number]), { padding: MARGIN_PX, maxZoom: 17, animate: false }))
  }, [map, box])
  if (!box) return <p className="weak">这个订单没有位置记录。</p>
  const reach: Corners = [
    [box[0][0] - AROUND_DEGREES, box[0][1] - AROUND_DEGREES],
    [box[1][0] + AROUND_DEGREES, box[1][1] + AROUND_DEGREES],
  ]
  return (
    <>
      <div className="order-map">
        <MapView start={{ lat: box[0][0], lng: box[0][1], zoom: 16 }} daylight="day" tiles={tiles} label={`订单 ${orderId} 的轨迹`} reach={reach} onReady={setMap}>
          <TrackOnMap daylight="day" points={points} />
          <PlacesOnMap daylight="day" places={places} />
        </MapView>
        {map && fence?.drawn && <FenceThen map={map} fence={fence.drawn} />}
      </div>
      <p className="order-track">
        {track.isError ? (
          <span>{failureText(track.error, '轨迹没有取到')}</span>
        ) : track.data ? (
          <span className="weak">{points.length > 0 ? `${points.length} 个轨迹点` : '没有轨迹点：车辆没有上报，或已过保存期'}</span>
        ) : (
          <span className="weak">轨迹是用户的行踪，查看会记入操作日志。</span>
        )}
        {!track.data && order.startAt !== null && (
          <Button size="small" loading={track.isFetching} onClick={() => void track.refetch()}>
            查看轨迹并记录
          </Button>
        )}
        {fence && (
          <span className="weak">
            {fence.drawn ? `判定围栏：${fence.drawn.name}（第 ${fence.dataVersion} 版）` : `判定围栏的第 ${fence.dataVersion} 版已过保存期`}
          </span>
        )}
      </p>
    </>
  )
}

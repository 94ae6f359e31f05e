/** What an order brings on average, area by area, on a map. */
import type { Map as LeafletMap } from 'leaflet'
import { useMemo, useState } from 'react'

import { useBrandStore } from '@/app/brand'
import { wall } from '@/kit/theme'
import { AreaHeatOnMap } from '@/map/AreaHeatOnMap'
import { MapView } from '@/map/MapView'

import { yuanText } from './Counting'
import { useChosenFences, useWallView } from './FleetMap'
import { Tile } from './Tile'
import type { RevenueScreen } from './useScreen'

const start = { lat: 30, lng: 110, zoom: 5 }
const LIGHTEST = 0.18
const DARKEST = 0.8

/** How strongly an area is filled, by its place between the least and the most. */
export function strengthOf(value: number, least: number, most: number): number {
  return most === least ? DARKEST : LIGHTEST + ((value - least) / (most - least)) * (DARKEST - LIGHTEST)
}

export function RevenueMap({ areas, chosen }: { areas: RevenueScreen['areas']; chosen: readonly string[] }) {
  const [map, setMap] = useState<LeafletMap | null>(null)
  const tiles = useBrandStore((store) => store.config?.tiles ?? null)
  const fences = useChosenFences(chosen)
  useWallView(map, fences, false)
  const known = areas.rows.map(({ eachCents }) => eachCents).filter((cents): cents is number => cents !== null)
  const [least, most] = [Math.min(...known), Math.max(...known)]
  const key = areas.rows.map(({ id, eachCents }) => `${id} ${eachCents ?? ''}`).join()
  const heats = useMemo(() => {
    const each = new Map(areas.rows.map(({ id, eachCents }) => [id, eachCents]))
    return fences.areas.map(({ id, name, ring }) => {
      const cents = each.get(id) ?? null
      return { name, ring, strength: cents === null ? 0 : strengthOf(cents, least, most), text: cents === null ? '' : `${yuanText(cents)} 元` }
    })
    // oxlint-disable-next-line react/exhaustive-deps -- each answer brings new rows; what is drawn follows from what is in them
  }, [key, fences, least, most])
  return (
    <Tile
      title="单均金额分布"
      span={areas}
      formula="今日各服务区单均金额 = 应收 ÷ 订单（不含短时订单），颜色越亮越高。灰线框内今日还没有这样的订单。"
      rows={{ to: '/report/financial-statistics', title: '查看每日统计', need: '150101' }}
      className="tile-map"
    >
      <div className="screen-map">
        <div className="screen-enlarged">
          <MapView start={start} daylight="night" tiles={tiles} label="单均金额分布图" onReady={setMap}>
            <AreaHeatOnMap heats={heats} color={wall.accent} />
          </MapView>
        </div>
        {known.length > 1 && (
          <p className="screen-legend" aria-hidden>
            {yuanText(least)}
            <i />
            {yuanText(most)} 元/单
          </p>
        )}
      </div>
    </Tile>
  )
}

import { Button, Select } from 'antd'
import type { Map as LeafletMap } from 'leaflet'
import { useEffect, useEffectEvent, useState } from 'react'
import type { FenceMap } from '@/map/fences/fences'
import { isWithin } from './merge'

type Neighbour = FenceMap['parkings'][number]

interface MergeBarProps {
  map: LeafletMap
  /** Those that lie beside or over it. */
  neighbours: readonly Neighbour[]
  onMerge(neighbour: Neighbour): void
}

/** Which of its neighbours a fence is merged with: from the list, or by a click on the map. */
export function MergeBar({ map, neighbours, onMerge }: MergeBarProps) {
  const [chosen, setChosen] = useState<string | null>(null)
  const click = useEffectEvent((lng: number, lat: number) => {
    const hit = neighbours.find(({ ring }) => isWithin(ring, [lng, lat]))
    if (hit) onMerge(hit)
  })
  useEffect(() => {
    const listen = ({ latlng }: { latlng: { lng: number; lat: number } }) => click(latlng.lng, latlng.lat)
    map.on('click', listen)
    return () => {
      map.off('click', listen)
    }
  }, [map])
  if (neighbours.length === 0) return <p className="weak">没有与它相接或重叠的同类围栏；只有生效中的、同一服务区的围栏可以合并</p>
  const neighbour = neighbours.find(({ id }) => id === chosen)
  return (
    <div className="fence-merge">
      <Select
        aria-label="与哪个围栏合并"
        placeholder="单击地图上的围栏，或在这里选择"
        value={neighbour?.id ?? null}
        onChange={setChosen}
        options={neighbours.map(({ id, name }) => ({ value: id, label: name }))}
      />
      <Button disabled={!neighbour} onClick={() => neighbour && onMerge(neighbour)}>
        与它合并
      </Button>
      <span className="weak">合并后用这个围栏的名称和规则</span>
    </div>
  )
}

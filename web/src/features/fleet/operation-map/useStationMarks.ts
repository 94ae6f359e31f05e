import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'

import type { FenceMap } from '@/map/fences/fences'
import type { StationMark } from '@/map/StationLayer'
import { worldX, worldY } from '@/live/projection'

import { stationsNow } from './queries'

const none: readonly StationMark[] = []

/** How full the parking places on the map are, asked for while they are shown; closed ones have no mark. */
export function useStationMarks(on: boolean, fences: FenceMap | undefined): readonly StationMark[] {
  const { data } = useQuery({ ...stationsNow, enabled: on })
  const middles = useMemo(() => new Map((fences?.parkings ?? []).map(({ id, ring }) => [id, middleOf(ring)])), [fences])
  return useMemo(() => {
    if (!on || data === undefined) return none
    return data.stations.flatMap(({ id, level, vehicles }) => {
      const middle = middles.get(id)
      return level === null || middle === undefined ? [] : [{ ...middle, vehicles, level }]
    })
  }, [on, data, middles])
}

function middleOf(ring: readonly (readonly number[])[]): { x: number; y: number } {
  const lngs = ring.map(([lng]) => lng!)
  const lats = ring.map(([, lat]) => lat!)
  return {
    x: worldX((Math.min(...lngs) + Math.max(...lngs)) / 2),
    y: worldY((Math.min(...lats) + Math.max(...lats)) / 2),
  }
}

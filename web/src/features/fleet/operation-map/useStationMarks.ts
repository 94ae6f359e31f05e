import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'

import { api } from '@/api/client'
import type { FenceMap } from '@/map/fences/fences'
import type { StationMark } from '@/map/StationLayer'
import { worldX, worldY } from '@/live/projection'


/** How full parking places are; the server counts anew every five seconds. */
const stationsNow = queryOptions({
  queryKey: ['fence', 'map', 'stations'],
  queryFn: ({ signal }) => api.get('/fence/map/stations', {}, { signal, quiet: true }),
  refetchInterval: 10_000,
  staleTime: 5_000,
})

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

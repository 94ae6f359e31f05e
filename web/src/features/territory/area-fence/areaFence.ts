import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { DataOf } from '@/api/shapes'
import { AREA_PATH } from '../area/area'
import { fencesAround } from '../fence/fence'

export const AREA_FENCE_PATH = '/fence/area/list'

/** An area as those who draw its edge see it. */
export type AreaFence = DataOf<typeof AREA_FENCE_PATH>['rows'][number]
/** With its edge, GeoJSON in WGS-84. */
export type AreaFenceInfo = DataOf<'/fence/area/info'>
/** An edge that it has or had. */
export type AreaEdge = DataOf<'/fence/area/versions'>['rows'][number]

/** What another edge makes stale. */
export const stale = [[AREA_FENCE_PATH], [AREA_PATH], fencesAround.queryKey] as const

/** Square metres as square kilometres. */
export function formatKm2(area_m2: number): string {
  const km2 = area_m2 / 1_000_000
  return `${km2 >= 0.01 || km2 === 0 ? km2.toFixed(2) : km2.toPrecision(2)} km²`
}

/** What differs between two edges, in words. */
export function differences(before: Pick<AreaEdge, 'areaM2' | 'corners'>, after: Pick<AreaEdge, 'areaM2' | 'corners'>): string {
  const grown_m2 = after.areaM2 - before.areaM2
  const sign = grown_m2 < 0 ? '−' : '+'
  const corners = before.corners === after.corners ? `顶点 ${after.corners.toLocaleString()} 个` : `顶点 ${before.corners.toLocaleString()} → ${after.corners.toLocaleString()} 个`
  return `面积 ${formatKm2(before.areaM2)} → ${formatKm2(after.areaM2)}（${sign}${formatKm2(Math.abs(grown_m2))}），${corners}`
}

export const areaFenceInfo = (id: string) =>
  queryOptions({
    queryKey: [AREA_FENCE_PATH, 'info', id],
    queryFn: ({ signal }) => api.get('/fence/area/info', { id }, { signal }),
  })

/** All edges of an area, as it stands in this version of itself. */
export const areaEdges = (id: string, version: number) =>
  queryOptions({
    queryKey: [AREA_FENCE_PATH, 'edges', id, version],
    queryFn: async ({ signal }) => (await api.get('/fence/area/versions', { id }, { signal })).rows,
  })

/** One of its edges, which never changes. */
export const areaEdge = (id: string, dataVersion: number) =>
  queryOptions({
    queryKey: ['/fence/area/version', id, dataVersion],
    queryFn: async ({ signal }) => (await api.get('/fence/area/version', { id, dataVersion }, { signal })).geometry,
    staleTime: Infinity,
  })

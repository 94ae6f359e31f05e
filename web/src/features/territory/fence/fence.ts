import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { DataOf } from '@/api/shapes'
import { serverNow } from '@/api/clock'
import type { TagStyle } from '@/kit/StateTag'
import { ink, stateStyle } from '@/kit/theme'

export const FENCE_PATH = '/fence/list'

/** A fence as lists and the editor show it: as it was drawn last, published or not. */
export type Fence = DataOf<typeof FENCE_PATH>['rows'][number]
export type FenceType = Fence['type']
/** GeoJSON, WGS-84; a circle is a point with a radius. */
export type Geometry = Fence['geometry']
/** One of its versions, with the times at which it counts. */
export type FenceVersion = DataOf<'/fence/versions'>['rows'][number]

/** What a change of a fence makes stale. */
export const stale = [[FENCE_PATH], ['/fence/map'], ['/ops/area']] as const

export const typeLabels: Readonly<Record<FenceType, string>> = {
  parking: '停车区',
  noStop: '禁停区',
  noRide: '禁行区',
  maintain: '运维区',
  custom: '自定义区',
}

/** What a page shows; a new one is of the first when nobody says otherwise. */
export type FenceTypes = readonly [FenceType, ...FenceType[]]
export const PARKINGS: FenceTypes = ['parking']
export const ZONES: FenceTypes = ['noStop', 'noRide', 'custom']

export const proofLabels: Readonly<Record<number, string>> = { 1: '蓝牙道钉', 2: '射频识别', 3: '定向停车', 4: '脚撑检测', 5: '摄像头' }

export const isBan = (type: FenceType) => type === 'noStop' || type === 'noRide'

/** Where a fence stands. */
export function stageOf(fence: Pick<Fence, 'state' | 'dataVersion' | 'countsVersion' | 'fromAt' | 'untilAt'>, now_ms: number): TagStyle {
  if (fence.dataVersion === 0) return { label: '草稿', color: stateStyle[4].color }
  if (fence.state === 0) return { label: '停用', color: stateStyle[7].color }
  if (fence.countsVersion === fence.dataVersion) return { label: '生效中', color: stateStyle[0].color }
  if ((fence.fromAt ?? 0) > now_ms) return { label: fence.countsVersion ? '待换版' : '待生效', color: ink.warning }
  return { label: '已失效', color: stateStyle[7].color }
}

/** Square metres, as people read them. */
export function formatArea(area_m2: number): string {
  return area_m2 >= 1_000_000 ? `${(area_m2 / 1_000_000).toFixed(2)} km²` : `${area_m2 >= 100 ? Math.round(area_m2).toLocaleString('zh-CN') : area_m2.toFixed(1)} m²`
}

export const fenceInfo = (id: string) =>
  queryOptions({
    queryKey: [FENCE_PATH, 'info', id],
    queryFn: ({ signal }) => api.get('/fence/{id}', {}, { path: { id }, signal }),
  })

/** All versions of a fence, as it stands in this version of itself. */
export const fenceVersions = (id: string, version: number) =>
  queryOptions({
    queryKey: [FENCE_PATH, 'versions', id, version],
    queryFn: async ({ signal }) => ({ ...(await api.get('/fence/versions', { id }, { signal })), at_ms: serverNow() }),
  })

/** Edges of areas and the fences that count now, beneath what is drawn. */
export const fencesAround = queryOptions({
  queryKey: ['/fence/map'],
  queryFn: ({ signal }) => api.get('/fence/map', {}, { signal }),
  staleTime: 60_000,
})

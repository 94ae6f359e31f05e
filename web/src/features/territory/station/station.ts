import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { DataOf } from '@/api/shapes'
import type { Filters, ListRows } from '@/kit/list/description'
import type { TagStyle } from '@/kit/StateTag'
import type { Scope } from '@/kit/statistics/statistics'
import { ramp, stateStyle } from '@/kit/theme'

export const STATIONS_PATH = '/statistics/station'

export type StationAnswer = DataOf<typeof STATIONS_PATH>
export type Station = StationAnswer['rows'][number]
export type StationPoint = StationAnswer['series'][number]

/** How full a parking place is, by its number; empty and full ones are what somebody has to go to. */
export const levels: readonly TagStyle[] = [
  { label: '空', color: stateStyle[4].color },
  { label: '偏少', color: ramp[2] },
  { label: '正常', color: stateStyle[0].color },
  { label: '偏多', color: ramp[5] },
  { label: '淤积', color: stateStyle[5].color },
]

/** Bands of how long a bike has stood. */
export const idleBands = ['1–3 小时', '3–6 小时', '6–12 小时', '12–24 小时', '24–48 小时', '48 小时以上'] as const

/** The page's answer, which the list keeps as its rows. */
export const answerOf = (rows: ListRows<Station>) => rows as ListRows<Station> & StationAnswer

export function scopeOf({ range, before, freshness }: StationAnswer, areas: string): Scope {
  return { range, before, areas, reckonedAt: freshness.reckonedAt, liveAt: freshness.liveAt }
}

/** One place in the time that the list is asked for. */
export const stationInfo = (id: string, { startTime, endTime }: Filters) =>
  queryOptions({
    queryKey: [STATIONS_PATH, 'one', id, startTime ?? '', endTime ?? ''],
    queryFn: ({ signal }) => api.get(STATIONS_PATH, { id, startTime: startTime ?? null, endTime: endTime ?? null }, { signal }),
    placeholderData: keepPreviousData,
  })

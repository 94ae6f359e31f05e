import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import { parkApplicationStateLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { tagOf } from '@/kit/choice'
import { formatTime } from '@/kit/format'
import { photoAt } from '@/kit/photo'
import type { TagStyle } from '@/kit/StateTag'
import { stateStyle } from '@/kit/theme'
import type { FenceStart } from '../fence/FenceForm'

export const PARK_APPLICATION_PATH = '/fence/parkApplication'

export const PENDING = 0
export const ACCEPTED = 1
export const REJECTED = 2
export const BUILT = 3

/** A station application as lists and its drawer show it; phones are masked. */
export type ParkApplication = DataOf<typeof PARK_APPLICATION_PATH>['rows'][number]
export type ApplicationPhoto = ParkApplication['photos'][number]

/** What a decision makes stale. */
export const stale = [[PARK_APPLICATION_PATH]] as const

export const REMARK_MAX = 200
const NAME_MAX = 30

type State = ParkApplication['state']

const stateColors: Readonly<Record<State, string>> = {
  [PENDING]: stateStyle[4].color,
  [ACCEPTED]: stateStyle[1].color,
  [REJECTED]: stateStyle[7].color,
  [BUILT]: stateStyle[0].color,
}

/** The look of a state. */
export function applicationState(state: State): TagStyle {
  return tagOf(state, parkApplicationStateLabels, stateColors)
}

export const applicationInfo = (id: string) =>
  queryOptions({
    queryKey: [PARK_APPLICATION_PATH, 'info', id],
    queryFn: ({ signal }) => api.get(`${PARK_APPLICATION_PATH}/info`, { id }, { signal }),
  })

/** Who voted, as the application stands in this version of itself. */
export const applicationVotes = (id: string, version: number) =>
  queryOptions({
    queryKey: [PARK_APPLICATION_PATH, 'votes', id, version],
    queryFn: ({ signal }) => api.get(`${PARK_APPLICATION_PATH}/votes`, { id }, { signal }),
  })

/** One of its photos. */
export const applicationPhoto = (id: string, photoId: string, signal: AbortSignal) => photoAt(`${PARK_APPLICATION_PATH}/photo`, { id, photoId }, signal)

/** From here on a photo was taken somewhere else, metres: a phone's fix may be off by so much. */
const FAR_M = 100
const KM_M = 1000

/** Metres as people say them. */
export function written(distance_m: number): string {
  return distance_m < KM_M ? `${Math.round(distance_m)} 米` : `${(distance_m / KM_M).toFixed(1)} 公里`
}

/** What a photo says of where and when it was taken; `far` when that is not the place that is asked for. */
export function evidenceOf({ distanceM, takenAt }: Pick<ApplicationPhoto, 'distanceM' | 'takenAt'>): { text: string; far: boolean } {
  const where = typeof distanceM === 'number' ? `拍摄于距申请位置 ${written(distanceM)}处` : '没有拍摄位置'
  const when = typeof takenAt === 'number' ? formatTime(takenAt) : '没有拍摄时间'
  return { text: `${where} · ${when}`, far: typeof distanceM === 'number' && distanceM > FAR_M }
}

const METRES_A_DEGREE = 111_320
/** A parking place for some twenty bikes side by side. */
const EAST_M = 12
const NORTH_M = 4
/** A tenth of a millimetre. */
const DIGITS = 9

/** The parking place that would be built for it at first: a rectangle about the place, to be drawn as it shall be. */
export function stationStart({ id, opAreaId, location, lat, lng }: Pick<ParkApplication, 'id' | 'opAreaId' | 'location' | 'lat' | 'lng'>): FenceStart {
  const east = EAST_M / 2 / (METRES_A_DEGREE * Math.cos((lat * Math.PI) / 180))
  const north = NORTH_M / 2 / METRES_A_DEGREE
  const rounded = (degree: number) => Number(degree.toFixed(DIGITS))
  const [west, right] = [rounded(lng - east), rounded(lng + east)]
  const [south, top] = [rounded(lat - north), rounded(lat + north)]
  const ring = [
    [west, south],
    [right, south],
    [right, top],
    [west, top],
    [west, south],
  ]
  const name = Array.from(location).slice(0, NAME_MAX).join('')
  return { opAreaId, name, geometry: { type: 'Polygon', coordinates: [ring] }, parkApplicationId: id }
}

/** Why it cannot be decided so now. */
export function obstacle(state: State, act: 'accept' | 'build' | 'reject'): string | undefined {
  const open = act === 'build' ? state === PENDING || state === ACCEPTED : state === PENDING
  return open ? undefined : `申请${parkApplicationStateLabels[state]}`
}

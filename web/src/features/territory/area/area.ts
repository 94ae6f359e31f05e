import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import { areaStateLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { tagOf } from '@/kit/choice'
import { ink, stateStyle } from '@/kit/theme'
import type { TagStyle } from '@/kit/StateTag'

export const AREA_PATH = '/platform/agent/serviceArea'

export const PLANNED = 0
export const OPEN = 1
export const SUSPENDED = 2
export const CLOSED = 3

/** An area as its management lists it; its notice is what riders are told while it is suspended. */
export type Area = DataOf<typeof AREA_PATH>['rows'][number]

/** With its edge, as `[lng, lat]` corners, closed, WGS-84, and what lies in it. */
export type AreaInfo = DataOf<'/platform/agent/serviceArea/info'>

/** What a change of an area makes stale. */
export const stale = [[AREA_PATH]] as const

/** What the server takes for a telephone. */
export const TEL = /^(?=.*\d)[\d +\-()]{5,20}$/

type State = Area['state']

const stateColors: Readonly<Record<State, string>> = {
  [PLANNED]: stateStyle[4].color,
  [OPEN]: stateStyle[0].color,
  [SUSPENDED]: ink.warning,
  [CLOSED]: stateStyle[7].color,
}

/** The look of a state. */
export const areaState = (state: State): TagStyle => tagOf(state, areaStateLabels, stateColors)

type Belongings = Pick<Area, 'state' | 'vehicleCount'> & Partial<Pick<AreaInfo, 'fenceCount' | 'franchiseeCount' | 'shelvedCount'>>

/** Why an area cannot be handed over now; null as far as is known here. */
export function handOverFault(area: Belongings): string | null {
  if (area.state === CLOSED) return '服务区已关停'
  const left = [
    [area.vehicleCount, '辆车'],
    [area.fenceCount ?? 0, '个围栏'],
    [area.franchiseeCount ?? 0, '个加盟商'],
  ] as const
  const named = left.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
  return named.length > 0 ? `还有 ${named.join('、')} 归原代理所有，清空后才能移交` : null
}

/** Why an area cannot be closed now; null as far as is known here. */
export function closeFault(area: Belongings): string | null {
  if (area.state === CLOSED) return '服务区已关停'
  if (area.state === PLANNED) return '还没有开通过'
  return area.shelvedCount ? `还有 ${area.shelvedCount} 辆已上架车辆，请先下架` : null
}

interface Check {
  readonly label: string
  readonly met: boolean
  /** What is to be done while it is not met. */
  readonly how: string
}

/** What an area needs before it is opened first. */
export const openChecks = ({ tel, parkingCount }: Pick<Area, 'tel' | 'parkingCount'>): readonly Check[] => [
  { label: '客服电话', met: tel.trim() !== '', how: '开通前请填写客服电话' },
  { label: '停车区', met: parkingCount > 0, how: '开通前请至少划定一个停车区' },
]

/** Why an area cannot be opened now; null as far as is known here. One that was open once has had its parking place. */
export function openFault(area: Pick<Area, 'state' | 'tel' | 'parkingCount'>): string | null {
  if (area.state === CLOSED) return '服务区已关停'
  const [tel, ...others] = openChecks(area)
  const unmet = (area.state === PLANNED ? [tel, ...others] : [tel]).find((check) => check && !check.met)
  return unmet?.how ?? null
}

/** What riders are told of a stop has so many characters at most. */
export const NOTICE_MAX = 200
const LEAST_STOP_MS = 60_000

/** Why a stop cannot last from `begin_ms` (null: from now on) until `end_ms` (null: until somebody ends it). */
export function stopFault(begin_ms: number | null, end_ms: number | null, now_ms: number): string | null {
  const from = Math.max(begin_ms ?? now_ms, now_ms)
  return end_ms !== null && end_ms - from < LEAST_STOP_MS ? '恢复时间需晚于停运开始至少一分钟' : null
}

export const areaInfo = (id: string) =>
  queryOptions({
    queryKey: [AREA_PATH, 'info', id],
    queryFn: ({ signal }) => api.get(`${AREA_PATH}/info`, { id }, { signal }),
  })

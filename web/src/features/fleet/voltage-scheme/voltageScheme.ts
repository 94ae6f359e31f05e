/** Voltage schemes: what is filled in, what may stand, and how their curve is drawn. Pure but for the queries. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { BodyOf, DataOf } from '@/api/shapes'
import { schemeChoices } from '@/kit/schemeChoices'

export const SCHEME_PATH = '/production/voltageScheme'

/** What a change of a scheme makes stale; what it tells of bikes too. */
export const stale = [[SCHEME_PATH], schemeChoices.queryKey, ['vehicle'], ['/vehicle/screening'], ['/vehicle/query']] as const

/** A scheme as lists and its drawer show it. */
export type VoltageScheme = DataOf<'/production/voltageScheme/{id}'>
export type Point = VoltageScheme['points'][number]
type SchemeBody = BodyOf<typeof SCHEME_PATH>

/** A point as it is being typed. */
export interface PointTyped {
  voltageMv: number | null
  percent: number | null
}

/** What the form holds. */
export interface SchemeFields {
  name: string
  agentId?: string
  nominalV: SchemeBody['nominalV']
  chemistry: SchemeBody['chemistry']
  points: readonly PointTyped[]
  maxMileageKm: number | null
  lowPercent: number | null
  enoughPercent: number | null
  state: NonNullable<SchemeBody['state']>
}

export const NAME_MAX = 30
export const POINTS_MIN = 5
export const POINTS_MAX = 50
export const MILEAGE_MAX_KM = 300
/** Voltages lie so far from the nominal one, percent of it. */
const OF_NOMINAL_PERCENT = [60, 140] as const

export const schemeInfo = (id: string) =>
  queryOptions({
    queryKey: [SCHEME_PATH, 'info', id],
    queryFn: ({ signal }) => api.get(`${SCHEME_PATH}/{id}`, {}, { path: { id }, signal }),
  })

/** Of a new scheme the shares are offered, and no voltage. */
const EMPTY_POINTS: readonly PointTyped[] = [0, 25, 50, 75, 100].map((percent) => ({ voltageMv: null, percent }))

/** What the form opens with. */
export function fieldsOf(scheme: VoltageScheme | undefined): SchemeFields {
  if (!scheme) {
    return { name: '', nominalV: 48, chemistry: 1, points: EMPTY_POINTS, maxMileageKm: null, lowPercent: 20, enoughPercent: 80, state: 1 }
  }
  const { name, nominalV, chemistry, points, maxMileageKm, lowPercent, enoughPercent, state } = scheme
  return { name, nominalV, chemistry, points, maxMileageKm, lowPercent, enoughPercent, state }
}

/** What the server is told of fields that were found right. */
export function bodyOf(fields: SchemeFields): Omit<SchemeBody, 'agentId'> {
  const { name, nominalV, chemistry, state, points, maxMileageKm, lowPercent, enoughPercent } = fields
  return { name, nominalV, chemistry, state, points: rising(points), maxMileageKm: maxMileageKm ?? 0, lowPercent: lowPercent ?? 0, enoughPercent: enoughPercent ?? 0 }
}

/** The points that are whole, the lowest voltage first. */
export function rising(points: readonly PointTyped[]): Point[] {
  const whole = points.flatMap(({ voltageMv, percent }) => (voltageMv === null || percent === null ? [] : [{ voltageMv, percent }]))
  return whole.toSorted((one, other) => one.voltageMv - other.voltageMv)
}

/** Why these are no curve; null when they are. */
export function pointsFault(points: readonly PointTyped[], nominalV: number): string | null {
  if (points.length < POINTS_MIN || points.length > POINTS_MAX) return `需 ${POINTS_MIN} 到 ${POINTS_MAX} 个点，现有 ${points.length} 个`
  const curve = rising(points)
  if (curve.length < points.length) return '请填写每个点的电压和电量'
  const [low, high] = OF_NOMINAL_PERCENT.map((percent) => nominalV * percent * 10) as [number, number]
  const far = curve.find(({ voltageMv }) => voltageMv < low || voltageMv > high)
  if (far) return `电压 ${far.voltageMv} mV 与标称电压 ${nominalV} V 相差过大，应在 ${low} 到 ${high} mV 之间`
  const falls = curve.find((point, at) => at > 0 && (point.voltageMv === curve[at - 1]!.voltageMv || point.percent <= curve[at - 1]!.percent))
  if (falls) return `${falls.voltageMv} mV 处的电压和电量都须高于前一个点`
  if (curve[0]!.percent !== 0 || curve.at(-1)!.percent !== 100) return '须从 0% 开始，到 100% 结束'
  return null
}

/** Where the curve's picture ends, px. */
export const CURVE = { width: 440, height: 150, left: 34, right: 12, top: 8, bottom: 20 } as const

/** Each point's place in the picture: voltage to the right, charge upwards; empty while there are less than two. */
export function curvePlaces(points: readonly PointTyped[]): (Point & { x: number; y: number })[] {
  const curve = rising(points)
  const [first, last] = [curve[0], curve.at(-1)]
  if (!first || !last || first.voltageMv === last.voltageMv) return []
  const { width, height, left, right, top, bottom } = CURVE
  const span = last.voltageMv - first.voltageMv
  return curve.map((point) => ({
    ...point,
    x: left + ((point.voltageMv - first.voltageMv) / span) * (width - left - right),
    y: top + (1 - Math.max(0, Math.min(100, point.percent)) / 100) * (height - top - bottom),
  }))
}

/** `52.1 V`. */
export const voltsText = (millivolts: number): string => `${(millivolts / 1000).toFixed(1)} V`

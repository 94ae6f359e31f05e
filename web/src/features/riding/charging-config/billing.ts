/** What rides cost: as it is kept, and as a form shows it. Pure. */
import { formatMoney, parseMoney } from '@/kit/format'
import type { Billing, Saying } from './config'

const MINUTE_S = 60
const KM_M = 1000
const HOUR_MIN = 60
export const DAY_MIN = 1440
/** Yuan. */
export const PRICE_MAX_CENTS = 100_000n

export interface Band {
  fromMin: number
  untilMin: number
  percent: number
}

/** Amounts in yuan as text, times in minutes, distances in kilometres where people say so. */
export interface BillingFields {
  freeTimeS: number
  freeDistanceM: number
  baseTimeMin: number
  baseTime: string
  cycleMin: number
  cycle: string
  baseDistanceKm: number
  baseDistance: string
  perKm: string
  dayCap: string
  discountPercent: number
  bands: Band[]
  smallPenalty: string
  largePenalty: string
  largeDistanceM: number
  noStop: string
  noRide: string
  outOfService: string
  helmet: string
  maxOrder: string
  explain: string
}

/** `2`, `2.50`: as somebody would type it. */
export function yuanOf(cents: number): string {
  const [yuan, rest] = [Math.trunc(cents / 100), cents % 100]
  return rest === 0 ? String(yuan) : `${yuan}.${String(rest).padStart(2, '0')}`
}

/** Null for what is no amount, or too large a one. */
export function centsOf(yuan: string | undefined): number | null {
  const cents = parseMoney(yuan ?? '')
  return cents === null || cents > PRICE_MAX_CENTS ? null : Number(cents)
}

export function fieldsOf(billing: Billing): BillingFields {
  const { returned } = billing
  return {
    freeTimeS: billing.freeTimeS,
    freeDistanceM: billing.freeDistanceM,
    baseTimeMin: billing.baseTimeS / MINUTE_S,
    baseTime: yuanOf(billing.baseTimeCents),
    cycleMin: billing.cycleS / MINUTE_S,
    cycle: yuanOf(billing.cycleCents),
    baseDistanceKm: billing.baseDistanceM / KM_M,
    baseDistance: yuanOf(billing.baseDistanceCents),
    perKm: yuanOf(billing.perKmCents),
    dayCap: yuanOf(billing.dayCapCents),
    discountPercent: billing.discountPercent,
    bands: billing.bands.map(({ fromMin, untilMin, percent }) => ({ fromMin, untilMin, percent })),
    smallPenalty: yuanOf(returned.smallPenaltyCents),
    largePenalty: yuanOf(returned.largePenaltyCents),
    largeDistanceM: returned.largeDistanceM,
    noStop: yuanOf(returned.noStopCents),
    noRide: yuanOf(returned.noRideCents),
    outOfService: yuanOf(returned.outOfServiceCents),
    helmet: yuanOf(returned.helmetCents),
    maxOrder: yuanOf(billing.maxOrderCents),
    explain: billing.explain,
  }
}

/** Null while a field is empty or says nothing that may stand. */
export function billingOf(fields: Partial<BillingFields>): Billing | null {
  const numbers = {
    freeTimeS: whole(fields.freeTimeS),
    freeDistanceM: whole(fields.freeDistanceM),
    baseTimeS: whole(fields.baseTimeMin, MINUTE_S),
    baseTimeCents: centsOf(fields.baseTime),
    cycleS: whole(fields.cycleMin, MINUTE_S),
    cycleCents: centsOf(fields.cycle),
    baseDistanceM: whole(fields.baseDistanceKm, KM_M),
    baseDistanceCents: centsOf(fields.baseDistance),
    perKmCents: centsOf(fields.perKm),
    dayCapCents: centsOf(fields.dayCap),
    discountPercent: whole(fields.discountPercent),
    maxOrderCents: centsOf(fields.maxOrder),
  }
  const returned = {
    smallPenaltyCents: centsOf(fields.smallPenalty),
    largePenaltyCents: centsOf(fields.largePenalty),
    largeDistanceM: whole(fields.largeDistanceM),
    noStopCents: centsOf(fields.noStop),
    noRideCents: centsOf(fields.noRide),
    outOfServiceCents: centsOf(fields.outOfService),
    helmetCents: centsOf(fields.helmet),
  }
  if (!isWhole(numbers) || !isWhole(returned)) return null
  const bands = fields.bands ?? []
  if (bandsFault(bands) !== null) return null
  return { ...numbers, returned, bands, explain: (fields.explain ?? '').trim() }
}

function whole(value: number | null | undefined, unit = 1): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? Math.round(value * unit) : null
}

function isWhole<Name extends string>(values: Record<Name, number | null>): values is Record<Name, number> {
  return Object.values(values).every((value) => value !== null)
}

/** What is wrong with bands; null when nothing is. */
export function bandsFault(bands: readonly (Band | undefined)[]): string | null {
  const known = bands.filter((band) => band !== undefined).toSorted((x, y) => x.fromMin - y.fromMin)
  for (const [index, band] of known.entries()) {
    if (band.fromMin >= band.untilMin) return `${bandText(band)} 的结束时间不晚于开始时间；跨午夜请分成两段`
    const next = known[index + 1]
    if (next && next.fromMin < band.untilMin) return `${bandText(band)} 与 ${bandText(next)} 重叠`
  }
  return null
}

/** `07:30` */
export function clockOf(minute: number): string {
  return `${String(Math.trunc(minute / HOUR_MIN)).padStart(2, '0')}:${String(minute % HOUR_MIN).padStart(2, '0')}`
}

const bandText = ({ fromMin, untilMin }: Band) => `${clockOf(fromMin)}-${clockOf(untilMin)}`

const yuan = (cents: number) => `${formatMoney(cents)} 元`
const seconds = (time_s: number) => (time_s % MINUTE_S === 0 ? `${time_s / MINUTE_S} 分钟` : `${time_s} 秒`)
const metres = (distance_m: number) => (distance_m >= KM_M && distance_m % 100 === 0 ? `${distance_m / KM_M} 公里` : `${distance_m} 米`)

/** Each field in words, as versions are compared by. */
export const billingSayings: readonly Saying<Billing>[] = [
  ['免费时长', ({ freeTimeS }) => `${freeTimeS} 秒`],
  ['免费里程', ({ freeDistanceM }) => metres(freeDistanceM)],
  ['起步价', ({ baseTimeCents }) => yuan(baseTimeCents)],
  ['起步时长', ({ baseTimeS }) => seconds(baseTimeS)],
  ['计费周期', ({ cycleS }) => seconds(cycleS)],
  ['每周期', ({ cycleCents }) => yuan(cycleCents)],
  ['起步里程', ({ baseDistanceM }) => metres(baseDistanceM)],
  ['起步里程费', ({ baseDistanceCents }) => yuan(baseDistanceCents)],
  ['每公里', ({ perKmCents }) => yuan(perKmCents)],
  ['日封顶', ({ dayCapCents }) => (dayCapCents === 0 ? '不封顶' : yuan(dayCapCents))],
  ['折扣', ({ discountPercent }) => (discountPercent === 100 ? '无' : `${discountPercent}%`)],
  ['时段系数', ({ bands }) => bands.map((band) => `${bandText(band)} ${band.percent}%`).join('、') || '全天 100%'],
  ['调度费（近）', ({ returned }) => yuan(returned.smallPenaltyCents)],
  ['调度费（远）', ({ returned }) => yuan(returned.largePenaltyCents)],
  ['远近分界', ({ returned }) => metres(returned.largeDistanceM)],
  ['禁停区', ({ returned }) => yuan(returned.noStopCents)],
  ['禁行区', ({ returned }) => yuan(returned.noRideCents)],
  ['服务区外', ({ returned }) => yuan(returned.outOfServiceCents)],
  ['头盔未还', ({ returned }) => yuan(returned.helmetCents)],
  ['单笔上限', ({ maxOrderCents }) => yuan(maxOrderCents)],
  ['计费说明', ({ explain }) => explain],
]

/** Refusals that are said at fields of the form. */
export const billingFieldOf = {
  'billing-bands': 'bands',
  'billing-guard': 'maxOrder',
  'billing-penalty-order': 'largePenalty',
  'billing-explain': 'explain',
  'billing-cycle': 'cycleMin',
  'billing-discount': 'discountPercent',
}

/** Cards on sale and what riders hold of them: as the server tells of them, and as forms and tables show them. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import { serverNow } from '@/api/clock'
import { cardKindLabels, cardProductStateLabels, holdingStateLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { labelOf, tagOf } from '@/kit/choice'
import { formatMoney, formatTime, parseMoney } from '@/kit/format'
import type { TagStyle } from '@/kit/StateTag'
import { ink, stateStyle } from '@/kit/theme'
import { type Difference, differenceOf } from '@/kit/versions/versions'
import { type BillingFields, billingOf, billingSayings, fieldsOf as billingFieldsOf, yuanOf } from '../charging-config/billing'

export const CARD_PATH = '/marketing/card'
export const HOLDING_PATH = '/user/card'

export const TIME = 1
export const DISTANCE = 2
export const MONEY = 3
export const TIMES = 4
export const MEMBERSHIP = 5
export const DISCOUNT = 6

/** As often as one likes. */
export const UNLIMITED = 9999
export const TIMES_MAX = 100
export const NAME_MAX = 30
export const DESC_MAX = 500
export const DAYS_MAX = 1460
const PRICE_MAX = 500_000n
const MINUTE_S = 60
const KM_M = 1000
const DAY_MS = 86_400_000
const SHANGHAI = '+08:00'

/** A card as lists and its drawer show it. */
export type Card = DataOf<typeof CARD_PATH>['rows'][number]
export type Kind = Card['kind']
export type CardVersion = DataOf<'/marketing/card/versions'>['rows'][number]
type Said = Pick<CardVersion, Exclude<keyof CardVersion, 'number' | 'fromAt' | 'untilAt' | 'publishedAt' | 'withdrawn' | 'counted'>>
/** A card that a rider holds or held. */
export type Holding = DataOf<typeof HOLDING_PATH>['rows'][number]

/** What a change of a card makes stale. */
export const stale = [[CARD_PATH]] as const
/** What a refund makes stale. */
export const staleHoldings = [[HOLDING_PATH], [CARD_PATH], ['/user/list'], ['/user/wallet']] as const

export const cardInfo = (id: string) =>
  queryOptions({
    queryKey: [CARD_PATH, 'info', id],
    queryFn: ({ signal }) => api.get(`${CARD_PATH}/info`, { id }, { signal }),
  })

export const cardVersions = (id: string, version: number) =>
  queryOptions({
    queryKey: [CARD_PATH, 'versions', id, version],
    queryFn: async ({ signal }) => {
      const { rows } = await api.get(`${CARD_PATH}/versions`, { id }, { signal })
      return { rows: rows.map((row) => ({ ...row, dataVersion: row.number })), at_ms: serverNow() }
    },
  })

export const holdingsOf = (userId: string) =>
  queryOptions({
    queryKey: [HOLDING_PATH, 'rider', userId],
    queryFn: ({ signal }) => api.get(HOLDING_PATH, { userId, page: 1, pageSize: 200 }, { signal }),
  })

export const isRiding = (kind: Kind) => kind !== MEMBERSHIP && kind !== DISCOUNT

/** Where a card stands. */
export function stageOf({ number, state, countsNumber }: Pick<Card, 'number' | 'state' | 'countsNumber'>): TagStyle {
  if (number === 0) return { label: '草稿', color: stateStyle[7].color }
  if (state === 0) return { label: cardProductStateLabels[0], color: stateStyle[7].color }
  if (countsNumber === null || countsNumber === undefined) return { label: '待生效', color: ink.warning }
  return countsNumber === number ? { label: '在售', color: stateStyle[0].color } : { label: '待换版', color: ink.warning }
}

const holdingColors: Readonly<Record<Holding['state'], string>> = {
  0: ink.warning,
  1: stateStyle[0].color,
  2: stateStyle[7].color,
  3: stateStyle[5].color,
  4: stateStyle[7].color,
}

export function holdingState(state: Holding['state']): TagStyle {
  return tagOf(state, holdingStateLabels, holdingColors)
}

const minutes = (time_s: number) => (time_s % MINUTE_S === 0 ? `${time_s / MINUTE_S} 分钟` : `${time_s} 秒`)
const metres = (distance_m: number) => (distance_m % 100 === 0 && distance_m >= KM_M ? `${distance_m / KM_M} 公里` : `${distance_m} 米`)

type Gift = Pick<Card, 'kind' | 'freeTimeS' | 'freeDistanceM' | 'freeMoneyCents'>

/** What it takes off one ride, in words. */
export function benefitText({ kind, freeTimeS = 0, freeDistanceM = 0, freeMoneyCents = 0 }: Partial<Gift>): string {
  if (kind === TIME) return `每次免 ${minutes(freeTimeS)}`
  if (kind === DISTANCE) return `每次免 ${metres(freeDistanceM)}`
  if (kind === MONEY) return `每次减 ${formatMoney(freeMoneyCents)} 元`
  if (kind === TIMES) return '每次免骑行费'
  return kind === MEMBERSHIP ? '有效期内免押金' : '按优惠卡计费'
}

/** How often it may be used, in words. */
export function timesText({ kind = TIME, times = UNLIMITED, isTotalTimes = false }: Partial<Pick<Card, 'kind' | 'times' | 'isTotalTimes'>>): string {
  if (!isRiding(kind) || times === UNLIMITED) return '不限次数'
  return isTotalTimes ? `共 ${times} 次` : `每天 ${times} 次`
}

export type Limit = 'unlimited' | 'total' | 'daily'

/** A card as its form has it: amounts in yuan as text, times in minutes, distances in kilometres, days as text. */
export interface CardFields extends BillingFields {
  agentId?: string | undefined
  kind: Kind
  name: string
  desc: string
  price: string
  originPrice: string
  days: number
  freeTimeMin: number
  freeDistance: number
  freeMoney: string
  limit: Limit
  times: number
  areaIds: string[]
  stock: number | null
  limitPerRider: number | null
  sale: [string, string]
  isRecommended: boolean
  sort: number
}

const dayOf = (time_ms: number | null | undefined) => (time_ms === null || time_ms === undefined ? '' : formatTime(time_ms).slice(0, 10))
const startOf = (day: string | undefined) => (day ? Date.parse(`${day}T00:00:00${SHANGHAI}`) : null)
const endOf = (day: string | undefined) => (day ? Date.parse(`${day}T00:00:00${SHANGHAI}`) + DAY_MS : null)

/** Cents of a price of 0.01 to 5,000 yuan; null for anything else. */
export function priceOf(yuan: string | undefined): number | null {
  const cents = parseMoney(yuan ?? '')
  return cents === null || cents < 1n || cents > PRICE_MAX ? null : Number(cents)
}

/** What the billing of a discount card begins with. */
const USUAL = {
  freeTimeS: 60,
  freeDistanceM: 50,
  baseTimeS: 900,
  baseTimeCents: 100,
  cycleS: 600,
  cycleCents: 50,
  baseDistanceM: 0,
  baseDistanceCents: 0,
  perKmCents: 0,
  dayCapCents: 2000,
  discountPercent: 100,
  bands: [],
  returned: {
    smallPenaltyCents: 500,
    largePenaltyCents: 1000,
    largeDistanceM: 200,
    noStopCents: 2000,
    outOfServiceCents: 2000,
    noRideCents: 2000,
    helmetCents: 3000,
  },
  maxOrderCents: 30_000,
  explain: '',
}

export function fieldsOf(card: Card | undefined, kind: Kind): CardFields {
  const billing = billingFieldsOf(card?.billing ?? USUAL)
  const times = card?.times ?? (kind === TIMES ? 10 : 1)
  const daily: Limit = card?.isTotalTimes ? 'total' : 'daily'
  return {
    ...billing,
    agentId: card?.agentId,
    kind: card?.kind ?? kind,
    name: card?.name ?? '',
    desc: card?.desc ?? '',
    price: card ? yuanOf(card.priceCents) : '',
    originPrice: card ? yuanOf(card.originPriceCents) : '',
    days: card?.days ?? 30,
    freeTimeMin: (card?.freeTimeS || 1800) / MINUTE_S,
    freeDistance: (card?.freeDistanceM || 3000) / KM_M,
    freeMoney: yuanOf(card?.freeMoneyCents || 100),
    limit: times === UNLIMITED ? 'unlimited' : card ? daily : kind === TIMES ? 'total' : 'daily',
    times: times === UNLIMITED ? 1 : times,
    areaIds: card?.areaIds ?? [],
    stock: card?.stock ?? null,
    limitPerRider: card?.limitPerRider ?? null,
    // The last day on which it is sold is the day before its end.
    sale: [dayOf(card?.sellFrom), dayOf(card?.sellUntil ? card.sellUntil - DAY_MS : null)],
    isRecommended: card?.isRecommended ?? false,
    sort: card?.sort ?? 0,
  }
}

/** What the server is told of filled-in fields. */
export function saidOf(fields: CardFields) {
  const { kind, limit } = fields
  const riding = isRiding(kind)
  const price = priceOf(fields.price) ?? 0
  const given = (of: Kind, value: number) => (kind === of ? Math.round(value) : 0)
  return {
    kind,
    name: fields.name,
    desc: fields.desc,
    priceCents: price,
    originPriceCents: fields.originPrice === '' ? price : (priceOf(fields.originPrice) ?? 0),
    days: fields.days,
    freeTimeS: given(TIME, fields.freeTimeMin * MINUTE_S),
    freeDistanceM: given(DISTANCE, fields.freeDistance * KM_M),
    freeMoneyCents: given(MONEY, priceOf(fields.freeMoney) ?? 0),
    times: riding && limit !== 'unlimited' ? fields.times : UNLIMITED,
    isTotalTimes: riding && limit === 'total',
    areaIds: fields.areaIds,
    billing: kind === DISCOUNT ? billingOf(fields) : null,
    stock: fields.stock ?? null,
    limitPerRider: fields.limitPerRider ?? null,
    sellFrom: startOf(fields.sale[0]),
    sellUntil: endOf(fields.sale[1]),
    isRecommended: fields.isRecommended,
    sort: fields.sort,
  }
}

const limited = (count: number | null | undefined, unit: string) => (count === null || count === undefined ? '不限' : `${count} ${unit}`)
const yuan = (cents: number) => `${formatMoney(cents)} 元`

/** Each field of a card in words, as versions are compared by; areas are told by their names. */
export function differencesOf(before: Said, after: Said, areaName: (id: string) => string): Difference[] {
  const areas = ({ areaIds }: Said) => areaIds.map(areaName).join('、') || '全部服务区'
  const sayings: readonly (readonly [string, (said: Said) => string])[] = [
    ['卡名称', ({ name }) => name ?? ''],
    ['售价', ({ priceCents }) => yuan(priceCents)],
    ['原价', ({ originPriceCents }) => yuan(originPriceCents)],
    ['有效天数', ({ days }) => `${days} 天`],
    ['优惠', benefitText],
    ['可用次数', timesText],
    ['适用服务区', areas],
    ['库存', ({ stock }) => limited(stock, '张')],
    ['每人限购', ({ limitPerRider }) => limited(limitPerRider, '张')],
    ['开售', ({ sellFrom }) => dayOf(sellFrom) || '立即'],
    ['停售', ({ sellUntil }) => (sellUntil ? formatTime(sellUntil) : '不停售')],
    ['推荐', ({ isRecommended }) => (isRecommended ? '是' : '否')],
    ['排序', ({ sort }) => String(sort)],
    ['说明', ({ desc }) => desc ?? ''],
  ]
  const billing =
    before.billing && after.billing
      ? billingSayings.slice(0, 12).flatMap(([label, said]) => differenceOf(`计费：${label}`, said(before.billing!), said(after.billing!)))
      : []
  return [...sayings.flatMap(([label, said]) => differenceOf(label, said(before), said(after))), ...billing]
}

export const kindName = (kind: Kind) => labelOf(cardKindLabels, kind)

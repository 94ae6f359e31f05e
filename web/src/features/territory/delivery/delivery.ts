/** How far what counts in service areas has come to their bikes. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import { deliveryStateLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { tagOf } from '@/kit/choice'
import { ink, stateStyle } from '@/kit/theme'
import type { TagStyle } from '@/kit/StateTag'

export const DELIVERY_PATH = '/fence/delivery'
export const BIKES_PATH = '/fence/delivery/bikes'

export type Delivery = DataOf<typeof DELIVERY_PATH>['rows'][number]
export type DeliveryBike = DataOf<typeof BIKES_PATH>['rows'][number]
export type DeliveryState = DeliveryBike['state']

export const ACKNOWLEDGED = 0
export const WAITING = 1
export const UNANSWERED = 2
export const OFFLINE = 3
export const REFUSED = 4
export const UNTOLD = 5

const colors: Readonly<Record<DeliveryState, string>> = {
  [ACKNOWLEDGED]: ink.good,
  [WAITING]: stateStyle[4].color,
  [UNANSWERED]: ink.warning,
  [OFFLINE]: stateStyle[7].color,
  [REFUSED]: ink.danger,
  [UNTOLD]: stateStyle[7].color,
}

/** The look of a state. */
export const deliveryTag = (state: DeliveryState): TagStyle => tagOf(state, deliveryStateLabels, colors)

/** What a device says by its refusal. */
const refusals: Readonly<Record<number, string>> = { 111: '不支持', 114: '参数不能识别', 115: '参数不能识别' }
export const refusalText = (code: number | null) => (code === null ? '' : `${refusals[code] ?? '拒绝'}（${code}）`)

/** Those that lag, by why. */
export const lags = (delivery: Delivery) =>
  (
    [
      [WAITING, delivery.waiting],
      [UNANSWERED, delivery.unanswered],
      [OFFLINE, delivery.offline],
      [REFUSED, delivery.refused],
      [UNTOLD, delivery.untold],
    ] as const
  ).filter(([, count]) => count > 0)

/** Full hundredths alone: all is said when it is all. */
export const percentOf = ({ acknowledged, bikes }: Pick<Delivery, 'acknowledged' | 'bikes'>) => (bikes === 0 ? 100 : Math.floor((acknowledged / bikes) * 100))

/** `已确认 1,948 / 2,000 辆`. */
export function progressText({ acknowledged, bikes, edition }: Pick<Delivery, 'acknowledged' | 'bikes' | 'edition'>): string {
  if (edition === null) return '还没有可下发的围栏'
  if (bikes === 0) return '没有上架车辆'
  return `已确认 ${acknowledged.toLocaleString()} / ${bikes.toLocaleString()} 辆`
}

export const isDone = (delivery: Delivery | null | undefined) => !!delivery && delivery.acknowledged === delivery.bikes

/** Areas that are asked for together; a row of a list asks for one. */
const TOGETHER_MS = 20
const MOST = 200
type Waiting = { id: string; give(delivery: Delivery | null): void; fail(error: unknown): void }
let waiting: Waiting[] = []

async function askTogether(): Promise<void> {
  const asked = waiting.slice(0, MOST)
  waiting = waiting.slice(MOST)
  if (waiting.length > 0) setTimeout(() => void askTogether(), 0)
  try {
    const { rows } = await api.get(DELIVERY_PATH, { opAreaIds: [...new Set(asked.map(({ id }) => id))].join(',') }, { quiet: true })
    const found = new Map(rows.map((row) => [row.opAreaId, row]))
    for (const { id, give } of asked) give(found.get(id) ?? null)
  } catch (error) {
    for (const { fail } of asked) fail(error)
  }
}

function asked(id: string): Promise<Delivery | null> {
  return new Promise((give, fail) => {
    waiting.push({ id, give, fail })
    if (waiting.length === 1) setTimeout(() => void askTogether(), TOGETHER_MS)
  })
}

const CLIMBING_MS = 3_000
const RESTING_MS = 15_000

/** How far an area is; asked again while it is looked at, more often while it climbs. */
export const deliveryOf = (areaId: string) =>
  queryOptions({
    queryKey: [DELIVERY_PATH, areaId],
    queryFn: () => asked(areaId),
    refetchInterval: ({ state }) => (isDone(state.data) ? RESTING_MS : CLIMBING_MS),
    staleTime: 1_000,
  })

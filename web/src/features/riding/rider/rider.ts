/** Riders and their wallets, as the server tells of them. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import { accountStateLabels, depositStateLabels, movementLabels, payStateLabels, qualificationLabels, riderStateLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { labelOf, tagOf } from '@/kit/choice'
import { parseMoney } from '@/kit/format'
import type { TagStyle } from '@/kit/StateTag'
import { ink, stateStyle } from '@/kit/theme'

export const RIDER_PATH = '/user/list'
export const WALLET_PATH = '/user/wallet'
export const RECORDS_PATH = '/user/wallet/records'
export const ORDER_PATH = '/order/list'

export const REASON_MAX = 200
const WALLET_MAX_CENTS = 1_000_000n

export const NORMAL = 0
export const FROZEN = 1
export const BLACKLISTED = 2
export const DEPOSIT_PAID = 1
export const DEPOSIT_FROZEN = 3

/** A rider as the list shows him; phones, names and numbers are masked. */
export type Rider = DataOf<typeof RIDER_PATH>['rows'][number]
/** The same with all that is his. */
export type RiderInfo = DataOf<'/user/{userId}'>
export type WalletRecord = DataOf<typeof RECORDS_PATH>['rows'][number]
export type RiderOrder = DataOf<typeof ORDER_PATH>['rows'][number]

/** What a change of a rider makes stale. */
export const stale = [[RIDER_PATH], [WALLET_PATH]] as const

export const riderInfo = (userId: string) =>
  queryOptions({
    queryKey: [RIDER_PATH, 'info', userId],
    queryFn: ({ signal }) => api.get('/user/{userId}', {}, { signal, path: { userId } }),
    enabled: userId !== '',
  })

export const walletAt = (userId: string, at: string) =>
  queryOptions({
    queryKey: [WALLET_PATH, userId, at],
    queryFn: ({ signal }) => api.get(WALLET_PATH, { userId, at }, { signal }),
  })

const good = stateStyle[0].color
const bad = stateStyle[5].color
const gone = stateStyle[7].color

/** What a rider is known by. */
export function calledOf({ nameMasked, phoneMasked, userId }: Pick<Rider, 'nameMasked' | 'phoneMasked' | 'userId'>): string {
  return [nameMasked, phoneMasked].filter(Boolean).join(' ') || userId
}

export function accountState(state: Rider['accountState']): TagStyle {
  return tagOf(state ?? NORMAL, accountStateLabels, { 0: good, 1: ink.warning, 2: bad, 3: gone, 4: gone })
}

export function riderState(state: Rider['userState']): TagStyle | null {
  return state === null ? null : tagOf(state, riderStateLabels, { 1: gone, 2: stateStyle[4].color, 3: good, 4: stateStyle[1].color, 5: ink.warning, 6: stateStyle[1].color, 7: bad })
}

export function depositState(state: Rider['depositState']): TagStyle {
  return tagOf(state, depositStateLabels, { 0: gone, 1: good, 2: ink.warning, 3: bad, 4: gone })
}

export function orderState(state: RiderOrder['state']): TagStyle {
  return tagOf(state, payStateLabels, { 0: stateStyle[4].color, 1: stateStyle[1].color, 2: ink.warning, 3: bad, 4: good, 5: gone, 6: gone })
}

/** What he may ride by, in words. */
export function qualificationsText(by: Rider['qualifications']): string {
  return by.map((one) => labelOf(qualificationLabels, one)).join('、')
}

/** What an entry is about; one that this page does not know yet is another one. */
export function movementText({ movement }: Pick<WalletRecord, 'movement'>): string {
  return movement === null ? '其他' : labelOf(movementLabels, movement)
}

/** Cents of an amount of up to 10,000 yuan; null for anything else. */
export function walletCentsOf(yuan: string | undefined): number | null {
  const cents = parseMoney(yuan ?? '')
  return cents === null || cents > WALLET_MAX_CENTS ? null : Number(cents)
}

/** The balance after each entry, the oldest first; `rows` come newest first. */
export function balancesOf(rows: readonly Pick<WalletRecord, 'recordedAt' | 'balanceAfterCents'>[]): { at_ms: number; yuan: number }[] {
  return rows.map(({ recordedAt, balanceAfterCents }) => ({ at_ms: recordedAt, yuan: balanceAfterCents / 100 })).toReversed()
}

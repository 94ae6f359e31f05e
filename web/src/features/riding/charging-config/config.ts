/** What is configured of a service area, in versions. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import { serverNow } from '@/api/clock'
import type { DataOf } from '@/api/shapes'
import { type Difference, differenceOf, stateOf } from '@/kit/versions/versions'

export const BILLING_PATH = '/config/area/billing'
export const RETURN_PATH = '/config/area/return'
export const ALARM_PATH = '/config/area/alarm'

/** How the server numbers what is edited here. */
export const kinds = { billing: 1, return: 2, alarm: 6 } as const
export type Kind = (typeof kinds)[keyof typeof kinds]

export type BillingConfig = DataOf<typeof BILLING_PATH>
export type Billing = BillingConfig['usual']
export type ReturnConfig = DataOf<typeof RETURN_PATH>
export type ReturnRules = ReturnConfig['usual']
export type AlarmRules = DataOf<typeof ALARM_PATH>['usual']

/** What versions do to rides. */
export const ofRides = { published: '从生效时间起开始的骑行按新配置执行；此前开始的骑行仍按当时的版本。', rolledBack: '之前的订单不受影响' }

/** What a version says, and when it counts. */
export interface Version<Content> {
  dataVersion: number
  note: string
  who: string | null
  fromAt: number
  publishedAt: number
  withdrawn: boolean
  counted: readonly (readonly (number | null)[])[]
  content: Content
}

/** A configuration as the page reads it. */
export interface AreaConfig<Content> {
  version: number
  draft: Content | null
  draftAt: number | null
  draftBy: string | null
  usual: Content
  /** Newest first. */
  versions: readonly Version<Content>[]
  /** The moment of which it is said what counts. */
  at_ms: number
}

export const billingConfig = (opAreaId: string) =>
  queryOptions({
    queryKey: [BILLING_PATH, opAreaId],
    queryFn: async ({ signal }): Promise<AreaConfig<Billing>> => ({ ...(await api.get(BILLING_PATH, { opAreaId }, { signal })), at_ms: serverNow() }),
  })

export const returnConfig = (opAreaId: string) =>
  queryOptions({
    queryKey: [RETURN_PATH, opAreaId],
    queryFn: async ({ signal }): Promise<AreaConfig<ReturnRules>> => ({ ...(await api.get(RETURN_PATH, { opAreaId }, { signal })), at_ms: serverNow() }),
  })

export const alarmConfig = (opAreaId: string) =>
  queryOptions({
    queryKey: [ALARM_PATH, opAreaId],
    queryFn: async ({ signal }): Promise<AreaConfig<AlarmRules>> => ({ ...(await api.get(ALARM_PATH, { opAreaId }, { signal })), at_ms: serverNow() }),
  })

/** What a change makes stale. */
export const stale = [[BILLING_PATH], [RETURN_PATH], [ALARM_PATH]] as const

/** The version that counts; none: the default does. */
export function countingOf<Content>({ versions, at_ms }: Pick<AreaConfig<Content>, 'versions' | 'at_ms'>): Version<Content> | undefined {
  return versions.find((version) => stateOf(version, at_ms) === 'now')
}

/** What is edited next: the draft, else what was published last, else the default. */
export function editedOf<Content>({ draft, versions, usual }: Pick<AreaConfig<Content>, 'draft' | 'versions' | 'usual'>): Content {
  return draft ?? versions.find(({ withdrawn }) => !withdrawn)?.content ?? usual
}

/** A field in words. */
export type Saying<Content> = readonly [label: string, said: (content: Content) => string]

/** What one says otherwise than the other, field by field. */
export function differencesOf<Content>(sayings: readonly Saying<Content>[], before: Content, after: Content): Difference[] {
  return sayings.flatMap(([label, said]) => differenceOf(label, said(before), said(after)))
}

/** 新增的第一版 and what a later one changed of the one before it. */
export function changesOf<Content>(sayings: readonly Saying<Content>[], usual: Content) {
  return (row: Version<Content>, before: Version<Content> | undefined): (Difference | string)[] => {
    const changes = differencesOf(sayings, before?.content ?? usual, row.content)
    if (changes.length > 0) return changes
    return [before ? '内容与上一版相同' : '与默认配置相同']
  }
}

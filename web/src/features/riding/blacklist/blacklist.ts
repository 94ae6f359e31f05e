import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import { blacklistStateLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { tagOf } from '@/kit/choice'
import type { TagStyle } from '@/kit/StateTag'
import { stateStyle } from '@/kit/theme'

export const BLACKLIST_PATH = '/user/blacklist'

export const HOLDING = 1
export const REASON_MAX = 200
export const AGENT = 2

/** An entry of the blacklist; names and phones are masked. */
export type BlacklistEntry = DataOf<typeof BLACKLIST_PATH>['rows'][number]
type State = BlacklistEntry['state']

/** What a change makes stale. */
export const stale = [[BLACKLIST_PATH]] as const

const stateColors: Readonly<Record<State, string>> = { 0: stateStyle[7].color, 1: stateStyle[5].color, 2: stateStyle[6].color }

/** The look of a state. */
export function blacklistState(state: State): TagStyle {
  return tagOf(state, blacklistStateLabels, stateColors)
}

/** What an entry is known by. */
export function calledOf({ nameMasked, phoneMasked, userId }: Pick<BlacklistEntry, 'nameMasked' | 'phoneMasked' | 'userId'>): string {
  return [nameMasked, phoneMasked].filter(Boolean).join(' ') || userId
}

export const blacklistInfo = (id: string) =>
  queryOptions({
    queryKey: [BLACKLIST_PATH, 'info', id],
    queryFn: ({ signal }) => api.get(`${BLACKLIST_PATH}/info`, { id }, { signal }),
  })

/** Riders who may be listed, by what is known of them in whole. */
export const riderChoices = (keyword: string) => ({
  queryKey: [BLACKLIST_PATH, 'riders', keyword],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    if (keyword === '') return []
    const { rows } = await api.get(`${BLACKLIST_PATH}/riders`, { keyword }, { signal, quiet: true })
    return rows.map(({ userId, nameMasked, phoneMasked, areaName, isListed }) => ({
      value: userId,
      label: [nameMasked || '未实名', phoneMasked, areaName, isListed ? '已在黑名单' : ''].filter(Boolean).join(' · '),
    }))
  },
})

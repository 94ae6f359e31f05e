/** Voltage schemes to choose from: for filters and for binding. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { DataOf } from '@/api/shapes'
import type { FilterOption } from '@/kit/list/description'

const CHOICES = '/vehicle/voltage-scheme'

export type SchemeChoice = DataOf<typeof CHOICES>['rows'][number]

/** What a filter asks of bikes without any. */
export const NO_SCHEME = '0'
const ENABLED = 1

/** All that bikes in the caller's reach may have. */
export const schemeChoices = queryOptions({
  queryKey: [CHOICES],
  queryFn: async ({ signal }) => (await api.get(CHOICES, {}, { signal, quiet: true })).rows,
  staleTime: 60_000,
})

/** What a filter offers: bikes without any first. */
export const schemeOptions = (schemes: readonly SchemeChoice[] = []): FilterOption[] => [
  { value: NO_SCHEME, label: '未设置' },
  ...schemes.map(({ id, name, state }) => ({ value: id, label: state === ENABLED ? name : `${name}（停用）` })),
]

/** What bikes may be bound to. */
export const bindableOptions = (schemes: readonly SchemeChoice[] = []): FilterOption[] =>
  schemes.filter(({ state }) => state === ENABLED).map(({ id, name, agentId }) => ({ value: id, label: agentId ? name : `${name}（平台）` }))

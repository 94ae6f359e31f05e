/** Voltage schemes to choose from: for filters and for binding. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api } from '@/api/client'
import type { DataOf } from '@/api/shapes'
import type { FilterOption } from '@/kit/list/description'
import { allows, useCodes } from '@/kit/permission/held'
import { useAgentChoices } from '@/kit/useAgentChoices'

const CHOICES = '/vehicle/voltage-scheme'
/** What it takes to list schemes. */
const LISTS_SCHEMES = '0301||0302||0305||0307'

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

/** What agents are called, as far as the caller may know. */
export function useCompanies(enabled = true): (agentId: string) => string | undefined {
  const agents = useAgentChoices(enabled)
  return useMemo(() => {
    const companies = new Map(agents.data?.map(({ agentId, company }) => [agentId, company]))
    return (agentId) => companies.get(agentId)
  }, [agents.data])
}

interface Schemes {
  /** Whether one may see which there are. */
  may: boolean
  schemes: readonly SchemeChoice[]
  isFetching: boolean
}

/** Schemes to choose from, of which those that are called alike are told apart by whose they are; asked for by who may list them. */
export function useSchemes(enabled = true): Schemes {
  const may = useCodes((codes) => allows(LISTS_SCHEMES, codes))
  const companyOf = useCompanies(enabled && may)
  const { data, isFetching } = useQuery({ ...schemeChoices, enabled: enabled && may })
  const schemes = useMemo(() => toldApart(data ?? [], companyOf), [data, companyOf])
  return { may, schemes, isFetching }
}

/** The same schemes; a name that several have says whose it is. */
export function toldApart(schemes: readonly SchemeChoice[], companyOf: (agentId: string) => string | undefined): SchemeChoice[] {
  const times = new Map<string, number>()
  for (const { name } of schemes) times.set(name, (times.get(name) ?? 0) + 1)
  return schemes.map((scheme) => {
    const owner = scheme.agentId ? companyOf(scheme.agentId) : undefined
    return (times.get(scheme.name) ?? 0) > 1 && owner !== undefined ? { ...scheme, name: `${scheme.name}（${owner}）` } : scheme
  })
}

/** A scheme, whatever its state. */
const optionOf = ({ id, name, state }: SchemeChoice): FilterOption => ({ value: id, label: state === ENABLED ? name : `${name}（停用）` })

/** What a filter offers: bikes without any first. */
export const schemeOptions = (schemes: readonly SchemeChoice[]): FilterOption[] => [{ value: NO_SCHEME, label: '未设置' }, ...schemes.map(optionOf)]

/** What a role may show; of those it names already, also the ones that are no longer there. */
export function schemesToSee(schemes: readonly SchemeChoice[], named: readonly string[]): FilterOption[] {
  const gone = named.filter((id) => schemes.every((scheme) => scheme.id !== id))
  return [...schemes.map(optionOf), ...gone.map((id) => ({ value: id, label: `已删除或不可见（${id}）` }))]
}

/** What bikes may be bound to. */
export const bindableOptions = (schemes: readonly SchemeChoice[]): FilterOption[] =>
  schemes.filter(({ state }) => state === ENABLED).map(({ id, name, agentId }) => ({ value: id, label: agentId ? name : `${name}（平台）` }))

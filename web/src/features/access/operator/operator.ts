import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, Refusal } from '@/api/client'
import type { BodyOf, DataOf, Page, QueryOf } from '@/api/shapes'
import { agentsBy } from '@/kit/areaChoices'

export const OPERATOR_PATH = '/platform/permission/user'

/** What a change of people makes stale. */
export const stale = [[OPERATOR_PATH]] as const

/** A person as the list shows him; the phone is whole, because every call on him is named by it. */
export type Operator = DataOf<typeof OPERATOR_PATH>['rows'][number]

/** What a change may hold, without the version. */
export type OperatorValues = Pick<BodyOf<'/platform/permission/user/{phone}'>, 'name' | 'level'> & { profession: number | null; agentIds: string[]; opAreaIds: string[]; roleIds: string[] }

/** Most agents, and most areas, that one person names. */
export const REACH_MAX = 500
const LOOKUP_SIZE = 200
const LOOKUP_PAGES = 50

/** `138****0000`; what is no phone stays as it is. */
export function maskPhone(phone: string): string {
  return phone.replace(/^(\d{3})\d{4}(\d{4})$/, '$1****$2')
}

/** The phone of a person whom one of the lists in memory shows. */
function knownOperator(client: QueryClient, id: string): Operator | undefined {
  const lists = client.getQueriesData<Page<Operator>>({ queryKey: [OPERATOR_PATH, 'list'] })
  return lists.flatMap(([, list]) => list?.rows ?? []).find((operator) => operator.objectId === id)
}

async function findOperator(id: string, phone: string | undefined, signal: AbortSignal): Promise<Operator> {
  const look = async (query: QueryOf<typeof OPERATOR_PATH>) => {
    const { rows } = await api.get(OPERATOR_PATH, { ...query, pageSize: LOOKUP_SIZE }, { signal })
    return { found: rows.find((operator) => operator.objectId === id), last: rows.length < LOOKUP_SIZE }
  }
  if (phone) {
    const { found } = await look({ keyword: phone, page: 1 })
    if (found) return found
  }
  for (let page = 1; page <= LOOKUP_PAGES; page += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one page after the other, until he is found
    const { found, last } = await look({ page })
    if (found) return found
    if (last) break
  }
  throw new Refusal('operator-unknown', '人员不存在、已删除，或不在您的数据范围内')
}

/** One person by his id: a link names him by it, so that no address holds a phone. */
export function operatorInfo(client: QueryClient, id: string) {
  return queryOptions({
    queryKey: [OPERATOR_PATH, 'info', id],
    queryFn: ({ signal }) => {
      const phone = knownOperator(client, id)?.phone ?? client.getQueryData<Operator>([OPERATOR_PATH, 'info', id])?.phone
      return findOperator(id, phone, signal)
    },
    placeholderData: knownOperator(client, id),
  })
}

/** Roles that may be given. */
export const enabledRoles = queryOptions({
  queryKey: [OPERATOR_PATH, 'roles'],
  queryFn: ({ signal }) => api.get('/platform/permission/role/enable', {}, { signal }),
  staleTime: 30_000,
})

/** Agents to choose from; the call asks for permission 01. */
export const agentChoices = agentsBy('/platform/agent/account/list')

/** What a person may do and see, as the server works it out; no agents means all, no areas all of his agents. */
export type HeldCodes = DataOf<'/platform/permission/user/{phone}/codes'>

export const heldCodes = (phone: string) =>
  queryOptions({
    queryKey: [OPERATOR_PATH, 'codes', phone],
    queryFn: ({ signal }) => api.get(`${OPERATOR_PATH}/{phone}/codes`, {}, { path: { phone }, signal }),
  })

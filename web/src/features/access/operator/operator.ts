import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api, type CallOptions, Refusal } from '@/api/client'
import type { BodyOf, DataOf, Page, QueryOf } from '@/api/shapes'
import type { BatchAnswer } from '@/kit/list/batch'

export const OPERATOR_PATH = '/platform/permission/user'

/** 0 disabled, 1 enabled. */
export type OperatorState = 0 | 1

/** A person as the list shows him; the phone is whole, because every call on him is named by it. */
export type Operator = DataOf<typeof OPERATOR_PATH>['rows'][number]

/** What a change may hold, without the version. */
export type OperatorValues = Pick<BodyOf<'/platform/permission/user/{phone}'>, 'name' | 'level'> & { profession: number | null; agentIds: string[]; opAreaIds: string[]; roleIds: string[] }

/** What the server refuses about one field, by its code. */
export const fieldOf = { 'phone-taken': 'phone' } as const

/** Longest name that the server takes, characters. */
export const NAME_MAX = 20
/** Most roles that one person holds. */
export const ROLES_MAX = 50
/** Most agents, and most areas, that one person names. */
export const REACH_MAX = 500
/** Accounts that one call may delete. */
export const DELETED_AT_ONCE = 50

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
export const agentChoices = queryOptions({
  queryKey: [OPERATOR_PATH, 'agents'],
  queryFn: ({ signal }) => api.get('/platform/agent/account/list', {}, { signal, quiet: true }),
  select: ({ rows }) => rows,
  staleTime: 60_000,
})

/** Areas of the chosen agents; of all agents in reach when none is named. */
export const areaChoices = (agentIds: readonly string[]) =>
  queryOptions({
    queryKey: [OPERATOR_PATH, 'areas', agentIds.join(',')],
    queryFn: ({ signal }) => api.get('/platform/agent/serviceArea/belongToAgent', { agentIds: agentIds.join(',') }, { signal }),
    select: ({ list }) => list,
    staleTime: 60_000,
  })

/** What a person may do and see, as the server works it out; no agents means all, no areas all of his agents. */
export type HeldCodes = DataOf<'/platform/permission/user/{phone}/codes'>

export const heldCodes = (phone: string) =>
  queryOptions({
    queryKey: [OPERATOR_PATH, 'codes', phone],
    queryFn: ({ signal }) => api.get(`${OPERATOR_PATH}/{phone}/codes`, {}, { path: { phone }, signal }),
  })

export function createOperator(values: OperatorValues & { phone: string; state: OperatorState }, options: CallOptions): Promise<unknown> {
  return api.post(OPERATOR_PATH, values, options)
}

export function changeOperator({ phone, ...values }: OperatorValues & { phone: string; version: number }, options: CallOptions): Promise<unknown> {
  return api.post(`${OPERATOR_PATH}/{phone}`, values, { ...options, path: { phone } })
}

export function setOperatorState(input: { phone: string; state: OperatorState }, options: CallOptions): Promise<unknown> {
  return api.post(`${OPERATOR_PATH}/state`, input, options)
}

export function setOperatorStates(phones: string[], state: OperatorState, options: CallOptions): Promise<BatchAnswer> {
  return api.post(`${OPERATOR_PATH}/state`, { phones, state }, options)
}

export function deleteOperator(phone: string, options: CallOptions): Promise<unknown> {
  return api.delete(`${OPERATOR_PATH}/{phone}`, {}, { ...options, path: { phone } })
}

export function deleteOperators(phones: readonly string[], options: CallOptions): Promise<BatchAnswer> {
  return api.delete(OPERATOR_PATH, { phones: phones.join(',') }, options)
}

/** Leaves a record that someone looked at what is usually masked; refused means: do not show it. */
export function recordUnmask(id: string, options: CallOptions): Promise<unknown> {
  return api.post('/platform/aliyunlog/access', { kind: 'unmask', what: 'operator.phone', target: id, filter: {} }, options)
}

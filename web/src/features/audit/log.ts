import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { DataOf, QueryOf } from '@/api/shapes'
import type { Choices } from '@/kit/list/RemoteSelect'
import type { Subject } from '@/kit/record/history'

export type { Subject } from '@/kit/record/history'

export const LOG_PATH = '/platform/aliyunlog/userlogs'
const AUDIT_PATH = '/platform/aliyunlog'

/** A line of the log; its phone is masked. */
export type LogRow = DataOf<typeof LOG_PATH>['rows'][number]

/** What the log is asked for. */
export type LogQuery = QueryOf<typeof LOG_PATH>

/** A line with what it changed, or what left the system. */
export type LogDetail = DataOf<'/platform/aliyunlog/userlogs/{position}'>

/** A record of data that left the system, or of somebody who was refused. */
export type Access = NonNullable<LogDetail['access']>

/** A field that a step changed; lists also say what came and what went. */
export type Change = LogDetail['changes'][number]

/** One page of a thing's history. */
export type History = DataOf<'/platform/aliyunlog/history'>

/** One step of it, and who took it: 1 an operator, 2 a machine client, 3 a rule of the system. */
export type Step = History['rows'][number]

/** A thing as it was at some step, which is counted from 1. */
export type Moment = DataOf<'/platform/aliyunlog/history/at'>

/** A field of it, then. */
export type StateField = Moment['state'][number]

/** Steps that one call of the history answers at most. */
export const STEPS_AT_ONCE = 100
/** As many as the drawer of a record shows. */
const NEWEST = 10

export const logPage = (query: LogQuery) =>
  queryOptions({
    queryKey: [LOG_PATH, 'list', query],
    queryFn: ({ signal }) => api.get(LOG_PATH, query, { signal }),
  })

export const logDetail = (position: string) =>
  queryOptions({
    queryKey: [LOG_PATH, 'detail', position],
    queryFn: ({ signal }) => api.get(`${LOG_PATH}/{position}`, {}, { path: { position }, signal }),
    // What happened does not change.
    staleTime: Infinity,
  })

export const logActions = queryOptions({
  queryKey: [AUDIT_PATH, 'actions'],
  queryFn: ({ signal }) => api.get(`${AUDIT_PATH}/actions`, {}, { signal }),
  staleTime: 10 * 60_000,
})

/** Things whose name holds the keyword, or whose id it is. */
export const subjectChoices = (category: string, keyword: string): ReturnType<Choices> => ({
  queryKey: [AUDIT_PATH, 'subjects', category, keyword],
  queryFn: async ({ signal }) => {
    const subjects = await api.get(`${AUDIT_PATH}/subjects`, { category, keyword }, { signal })
    return subjects.map(({ id, name }) => ({ value: id, label: name || id }))
  },
  staleTime: 30_000,
})

/** One page of steps, newest first. */
export function fetchHistory({ category, id }: Subject, page: number, signal?: AbortSignal): Promise<History> {
  return api.get(`${AUDIT_PATH}/history`, { category, id, page, pageSize: STEPS_AT_ONCE }, { signal })
}

export const historyKey = ({ category, id }: Subject) => [AUDIT_PATH, 'history', category, id] as const

/** Its newest steps, and how many there are; asked for anew when it has a new version. */
export const newestSteps = ({ category, id }: Subject, version: number) =>
  queryOptions({
    queryKey: [...historyKey({ category, id }), 'newest', version],
    // Who sees it is told of a failure where the steps would stand.
    queryFn: ({ signal }) => api.get(`${AUDIT_PATH}/history`, { category, id, page: 1, pageSize: NEWEST }, { signal, quiet: true }),
  })

/** The thing as of the newest step at or before `position`. */
export const momentAt = ({ category, id }: Subject, position: number) =>
  queryOptions({
    queryKey: [AUDIT_PATH, 'history', category, id, 'at', position],
    queryFn: ({ signal }) => api.get(`${AUDIT_PATH}/history/at`, { category, id, position }, { signal }),
  })

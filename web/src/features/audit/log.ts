import { queryOptions } from '@tanstack/react-query'
import { api, type Query } from '@/api/client'
import type { Page } from '@/kit/list/description'

export const LOG_PATH = '/platform/aliyunlog/userlogs'
const AUDIT_PATH = '/platform/aliyunlog'

/** 1 done, 2 refused, 3 failed. */
export type Result = 1 | 2 | 3

/** A field that a step changed; lists also say what came and what went. */
export interface Change {
  field: string
  label: string
  before: unknown
  after: unknown
  beforeText: string
  afterText: string
  added?: string[]
  removed?: string[]
}

/** Who acted: 1 an operator, 2 a machine client, 3 a rule of the system. */
export interface Actor {
  kind: 1 | 2 | 3
  id: string
  name: string
  phone: string
}

/** A line of the log. */
export interface LogRow {
  position: number
  time: number
  opManId: string
  actorKind: 1 | 2
  name: string
  /** Masked. */
  phone: string
  action: string
  actionLabel: string
  category: string
  categoryLabel: string
  targetId: string
  targetName: string
  target: string
  agentId: string | null
  areaId: string | null
  ip: string
  traceId: string
  requestId: string
  result: Result
  resultLabel: string
  detail: string
}

/** A record of data that left the system, or of somebody who was refused. */
export interface Access {
  kind: 'export' | 'unmask' | 'refused'
  what: string
  target: string
  filter: unknown
  rows: number | null
  code: string
  reason: string
}

export interface LogDetail extends LogRow {
  changes: Change[]
  access: Access | null
}

export interface LogPage extends Page<LogRow> {
  /** Where the next older rows begin; null at the end. */
  next: number | null
}

export interface Category {
  category: string
  label: string
  /** Whether its things can be replayed. */
  history: boolean
  actions: { action: string; label: string }[]
}

export interface Actions {
  categories: Category[]
  results: { value: number; label: string }[]
}

/** One step of a thing's history. */
export interface Step {
  position: number
  version: number
  time: number
  actor: Actor
  action: string
  actionLabel: string
  ip: string
  traceId: string
  changes: Change[]
}

export interface StateField {
  field: string
  label: string
  value: unknown
  text: string
  items?: string[]
}

/** Which thing. */
export interface Subject {
  category: string
  id: string
}

export interface History {
  category: string
  categoryLabel: string
  id: string
  name: string
  count: number
  rows: Step[]
}

/** A thing as it was at some step. */
export interface Moment {
  category: string
  categoryLabel: string
  id: string
  name: string
  step: Step
  state: StateField[]
  previous: number | null
  following: number | null
  first: number
  last: number
  /** 1-based. */
  index: number
  count: number
}

/** Steps that one call of the history answers at most. */
export const STEPS_AT_ONCE = 100

export const logPage = (query: Query) =>
  queryOptions({
    queryKey: [LOG_PATH, 'list', query],
    queryFn: ({ signal }) => api.get<LogPage>(LOG_PATH, query, { signal }),
  })

export const logDetail = (position: string) =>
  queryOptions({
    queryKey: [LOG_PATH, 'detail', position],
    queryFn: ({ signal }) => api.get<LogDetail>(`${LOG_PATH}/${position}`, {}, { signal }),
    // What happened does not change.
    staleTime: Infinity,
  })

export const logActions = queryOptions({
  queryKey: [AUDIT_PATH, 'actions'],
  queryFn: ({ signal }) => api.get<Actions>(`${AUDIT_PATH}/actions`, {}, { signal }),
  staleTime: 10 * 60_000,
})

/** Things whose name holds the keyword, or whose id it is. */
export const subjectChoices = (category: string, keyword: string) =>
  queryOptions({
    queryKey: [AUDIT_PATH, 'subjects', category, keyword],
    queryFn: ({ signal }) => api.get<(Subject & { name: string })[]>(`${AUDIT_PATH}/subjects`, { category, keyword }, { signal }),
    staleTime: 30_000,
  })

/** One page of steps, newest first. */
export function fetchHistory({ category, id }: Subject, page: number, signal?: AbortSignal): Promise<History> {
  return api.get<History>(`${AUDIT_PATH}/history`, { category, id, page, pageSize: STEPS_AT_ONCE }, { signal })
}

export const historyKey = ({ category, id }: Subject) => [AUDIT_PATH, 'history', category, id] as const

/** The thing as of the newest step at or before `position`. */
export const momentAt = ({ category, id }: Subject, position: number) =>
  queryOptions({
    queryKey: [AUDIT_PATH, 'history', category, id, 'at', position],
    queryFn: ({ signal }) => api.get<Moment>(`${AUDIT_PATH}/history/at`, { category, id, position }, { signal }),
  })

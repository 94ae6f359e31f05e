/** What a wall shows: asked for once, then told by the websocket; never asked for again by a clock. */
import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'

import { api } from '@/api/client'
import type { DataOf } from '@/api/shapes'
import { storedIds } from '@/app/session/stored'
import { useTopic } from '@/live/hooks'

export type OperationScreen = DataOf<'/screen/operation'>
export type RevenueScreen = DataOf<'/screen/revenue'>
export type ScreenAreas = DataOf<'/screen/areas'>['areas']

interface Answers {
  operation: OperationScreen
  home: OperationScreen
  revenue: RevenueScreen
}

const topics = { operation: 'ops', home: 'home', revenue: 'revenue' } as const
const AREAS_KEY = 'opAreaIdsBigScreen'
const AGAIN_MS = 5_000

/** What is shown of a wall. */
export interface Shown<T> {
  /** The newest answer; null until the first. */
  readonly data: T | null
  /** Why there is none, in words. */
  readonly refused: string
}

/** The newest answer of a wall, of these areas alone; without any, of all. */
export function useScreen<Name extends keyof Answers>(name: Name, areas: readonly string[]): Shown<Answers[Name]> {
  const list = areas.join(',')
  const asked = useQuery({
    queryKey: ['screen', name, list],
    queryFn: async ({ signal }): Promise<Answers[Name]> => {
      const query = { opAreaIdsBigScreen: list === '' ? null : list }
      if (name === 'revenue') return (await api.get('/screen/revenue', query, { signal, quiet: true })) as Answers[Name]
      const path = name === 'operation' ? '/screen/operation' : '/screen/home'
      return (await api.get(path, query, { signal, quiet: true })) as Answers[Name]
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    // Until the first answer alone: a wall that is switched on before its server waits for it.
    retry: true,
    retryDelay: AGAIN_MS,
  })
  const topic = `screen/${topics[name]}`
  const pushed = useTopic<Answers[Name]>(list === '' ? topic : `${topic}/${list}`)
  return { data: newest(asked.data, pushed.data), refused: pushed.refused }
}

function newest<T extends { readonly asOfMs: number }>(asked: T | undefined, pushed: T | null): T | null {
  if (asked === undefined || pushed === null) return pushed ?? asked ?? null
  return pushed.asOfMs >= asked.asOfMs ? pushed : asked
}

/** The areas that walls show, as chosen on them; none means all. */
export function useWallAreas(): [readonly string[], (next: readonly string[]) => void] {
  const [areas, setAreas] = useState<readonly string[]>(() => storedIds(AREAS_KEY))
  const choose = useCallback((next: readonly string[]) => {
    localStorage.setItem(AREAS_KEY, next.join(','))
    setAreas(next)
  }, [])
  return [areas, choose]
}

/** Areas with their edges. */
export function useScreenAreas(): ScreenAreas {
  const { data } = useQuery({
    queryKey: ['screen', 'areas'],
    queryFn: async ({ signal }) => (await api.get('/screen/areas', {}, { signal, quiet: true })).areas,
    staleTime: 600_000,
    retry: true,
    retryDelay: AGAIN_MS,
  })
  return data ?? none
}

const none: ScreenAreas = []

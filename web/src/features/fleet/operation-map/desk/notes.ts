/** Hand-over notes (交接班记录). */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'

import { api } from '@/api/client'
import type { DataOf } from '@/api/shapes'

export const NOTES_PATH = '/vehicle/shift-note'
/** The read model that they follow. */
export const TABLE = 'shift_note'
export const TEXT_MAX = 1000
export const BIKES_MAX = 20
const PAGE = 20
const WITHDRAW_MS = 10 * 60_000
/** What was written two days ago is no news any more, though nothing changed. */
const COUNT_EVERY_MS = 300_000

export type Note = DataOf<typeof NOTES_PATH>['rows'][number]

/** What a change of a note makes stale. */
export const stale = [[NOTES_PATH]] as const

/** How many notes of others wait for somebody to acknowledge them. */
export const noteCount = queryOptions({
  queryKey: [NOTES_PATH, 'count'],
  queryFn: ({ signal }) => api.get(`${NOTES_PATH}/count`, {}, { signal, quiet: true }),
  refetchInterval: COUNT_EVERY_MS,
})

/** Notes, newest first; those alone that wait, or all. Each page goes on behind the last row of the one before. */
export const notesOf = (waiting: boolean) =>
  infiniteQueryOptions({
    queryKey: [NOTES_PATH, 'list', waiting],
    queryFn: ({ pageParam, signal }) =>
      api.get(NOTES_PATH, { acknowledged: waiting ? false : null, pageSize: PAGE, after: pageParam }, { signal, quiet: true }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.place ?? null,
  })

/** What the reader may do with a note: acknowledge another's, take his own back for ten minutes. */
export function mayDo(note: Note, reader: string | undefined, now_ms: number): { acknowledge: boolean; withdraw: boolean } {
  const open = (note.acknowledgedAt ?? null) === null
  const own = note.operatorId === reader
  return { acknowledge: open && !own, withdraw: open && own && now_ms - note.writtenAt < WITHDRAW_MS }
}

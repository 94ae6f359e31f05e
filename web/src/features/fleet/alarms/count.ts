import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { DataOf } from '@/api/shapes'

/** The first part of the keys of all that is asked for about alarms. */
export const ALARMS = '/vehicle/alarm'
/** What one needs to see alarms and to say what came of them. */
export const ALARM_CODES = '0301||0302'
/** The read model that they follow. */
export const TABLE = 'alarm_ticket'

type AlarmCount = DataOf<'/vehicle/alarm/count'>
const URGENT = 1

/** How many wait, and the one to look at first. */
export const alarmCount = queryOptions({
  queryKey: [ALARMS, 'count'],
  queryFn: ({ signal }) => api.get('/vehicle/alarm/count', {}, { signal, quiet: true }),
})

/** Whether the ticket to look at first is an urgent one that nobody was told of yet. */
export function isNews({ first }: AlarmCount, toldAt_ms: number): boolean {
  return first !== null && first !== undefined && first.urgency === URGENT && first.lastAt > toldAt_ms
}

import { queryOptions } from '@tanstack/react-query'

import { api } from '@/api/client'
import { uuid } from '@/api/bytes'
import type { DataOf } from '@/api/shapes'

import type { CommandName } from './commands'

/** Areas, parkings and no-stop zones of the scope. */
export const fenceMap = queryOptions({
  queryKey: ['fence', 'map'],
  queryFn: ({ signal }) => api.get('/fence/map', {}, { signal }),
  staleTime: 60_000,
})

/** One bike; the topic keeps it current afterwards. */
export const vehicleOf = (carId: string) =>
  queryOptions({
    queryKey: ['vehicle', 'one', carId],
    queryFn: ({ signal }) => api.get('/vehicle/{carId}', {}, { path: { carId }, signal, quiet: true }),
    staleTime: 2_000,
    retry: false,
  })

/** Reports of the last `minutes`. */
export const historyOf = (carId: string, minutes: number) =>
  queryOptions({
    queryKey: ['vehicle', 'history', carId, minutes],
    queryFn: ({ signal }) => api.get('/vehicle/{carId}/history', { minutes }, { path: { carId }, signal, quiet: true }),
    staleTime: 30_000,
  })

/** How far a bike is with the fences of its area; null: it is on no street, or has no device. */
export const fencesOf = (carId: string) =>
  queryOptions({
    queryKey: ['vehicle', 'fences', carId],
    queryFn: async ({ signal }) => {
      const { rows } = await api.get('/fence/delivery/bikes', { keyword: carId, pageSize: 10 }, { signal, quiet: true })
      return rows.find((row) => row.carId === carId) ?? null
    },
    refetchInterval: 10_000,
    retry: false,
  })

export type FoundBike = DataOf<'/vehicle/search'>['rows'][number]

/** Bikes whose number begins with `keyword`, or with that IMEI. */
export const bikesLike = (keyword: string) =>
  queryOptions({
    queryKey: ['vehicle', 'search', keyword],
    queryFn: ({ signal }) => api.get('/vehicle/search', { keyword }, { signal, quiet: true }),
    staleTime: 10_000,
  })

/** Sends a command to a bike; the outcome arrives on its topic. */
/** Tells the bike; `waitMinutes`: where it is away, the command waits so long for it. */
export async function sendCommand(carId: string, name: CommandName, reason: string, waitMinutes: number | null): Promise<{ commandId: string; state: string }> {
  const requestId = uuid()
  const options = { idempotencyKey: requestId }
  if (name === 'lock' || name === 'unlock') {
    return api.post('/device/lock', { carId, action: name, reason, requestId, waitMinutes }, options)
  }
  return api.post('/device/command', { carId, command: name, reason, requestId, waitMinutes }, options)
}

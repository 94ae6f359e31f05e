import { queryOptions } from '@tanstack/react-query'

import { api } from '@/api/client'
import { uuid } from '@/api/bytes'
import type { FenceMap } from '@/map/fences/fences'

import type { CommandName } from './commands'
import type { HistoryPoint, Vehicle } from './vehicle'

/** Service areas, parkings and no-stop zones of the scope. */
export const fenceMap = queryOptions({
  queryKey: ['fence', 'map'],
  queryFn: ({ signal }) => api.get<FenceMap>('/fence/map', {}, { signal }),
  staleTime: 60_000,
})

/** One bike; the topic keeps it current afterwards. */
export const vehicleOf = (carId: string) =>
  queryOptions({
    queryKey: ['vehicle', 'one', carId],
    queryFn: ({ signal }) => api.get<Vehicle>(`/vehicle/${encodeURIComponent(carId)}`, {}, { signal, quiet: true }),
    staleTime: 2_000,
    retry: false,
  })

/** Reports of the last `minutes`. */
export const historyOf = (carId: string, minutes: number) =>
  queryOptions({
    queryKey: ['vehicle', 'history', carId, minutes],
    queryFn: ({ signal }) =>
      api.get<{ points: HistoryPoint[] }>(`/vehicle/${encodeURIComponent(carId)}/history`, { minutes }, { signal, quiet: true }),
    staleTime: 30_000,
  })

export interface FoundBike {
  readonly carId: string
  readonly imei: string
  readonly areaName: string
  readonly state: number
}

/** Bikes whose number begins with `keyword`, or with that IMEI. */
export const bikesLike = (keyword: string) =>
  queryOptions({
    queryKey: ['vehicle', 'search', keyword],
    queryFn: ({ signal }) => api.get<{ rows: FoundBike[] }>('/vehicle/search', { keyword }, { signal, quiet: true }),
    staleTime: 10_000,
  })

/** Sends a command to a bike; the outcome arrives on its topic. */
export async function sendCommand(carId: string, name: CommandName, reason: string): Promise<string> {
  const requestId = uuid()
  const options = { idempotencyKey: requestId }
  const { commandId } =
    name === 'lock' || name === 'unlock'
      ? await api.post<{ commandId: string }>('/device/lock', { carId, action: name, reason, requestId }, options)
      : await api.post<{ commandId: string }>('/device/command', { carId, command: name, reason, requestId }, options)
  return commandId
}

/** What was of one bike: the newest of each. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import { payStateLabels } from '@/api/generated/labels'
import type { DataOf } from '@/api/shapes'
import { tagOf } from '@/kit/choice'
import { formatTime } from '@/kit/format'
import type { TagStyle } from '@/kit/StateTag'
import { stateStyle } from '@/kit/theme'
import type { DeviceTalk } from '../device-log/deviceLog'
import type { VehicleEvent } from '../vehicle-log/vehicleLog'

/** So many of each. */
export const ROWS = 20
/** Logs are asked for so many days. */
export const DAYS = 30
const DAY_MS = 86_400_000

export interface NewestOf<Row> {
  rows: readonly Row[]
}

export type BikeOrder = DataOf<'/order/list'>['rows'][number]
export type BikeCommand = DataOf<'/vehicle/{carId}/commands'>['rows'][number]

const page = { page: 1, pageSize: ROWS }
const since = (): string => formatTime(Date.now() - DAYS * DAY_MS).slice(0, 10)

export const ordersOf = (carId: string) =>
  queryOptions<NewestOf<BikeOrder>>({
    queryKey: ['/order/list', 'bike', carId],
    queryFn: ({ signal }) => api.get('/order/list', { keyword: carId, ...page }, { signal, quiet: true }),
  })

/** Those that were opened on a day, `YYYY-MM-DD`. */
export const ordersOfDay = (carId: string, day: string) =>
  queryOptions({
    queryKey: ['/order/list', 'bike', carId, day],
    queryFn: ({ signal }) => api.get('/order/list', { keyword: carId, startTime: `${day} 00:00:00`, ...page }, { signal, quiet: true }),
    refetchInterval: 30_000,
  })

export const commandsOf = (carId: string) =>
  queryOptions<NewestOf<BikeCommand>>({
    queryKey: ['vehicle', 'commands', carId],
    queryFn: ({ signal }) => api.get('/vehicle/{carId}/commands', {}, { path: { carId }, signal, quiet: true }),
    refetchInterval: 5_000,
  })

export const lifeOf = (carId: string) =>
  queryOptions<NewestOf<VehicleEvent>>({
    queryKey: ['/log/vehicle', 'bike', carId],
    queryFn: ({ signal }) => api.get('/log/vehicle', { carId, startTime: since(), ...page }, { signal, quiet: true }),
  })

/** Its devices: put on and taken off. */
export const bindingsOf = (carId: string) =>
  queryOptions<NewestOf<VehicleEvent>>({
    queryKey: ['/log/vehicle', 'bindings', carId],
    queryFn: ({ signal }) => api.get('/log/vehicle', { carId, events: '102,103', startTime: since(), ...page }, { signal, quiet: true }),
  })

export const talkOf = (carId: string) =>
  queryOptions<NewestOf<DeviceTalk>>({
    queryKey: ['/log/device', 'bike', carId],
    queryFn: ({ signal }) => api.get('/log/device', { carId, startTime: since(), ...page }, { signal, quiet: true }),
  })

const colors: Readonly<Record<BikeOrder['state'], string>> = {
  0: stateStyle[2].color,
  1: stateStyle[1].color,
  2: stateStyle[4].color,
  3: stateStyle[5].color,
  4: stateStyle[0].color,
  5: stateStyle[7].color,
  6: stateStyle[6].color,
}

export const orderStateOf = ({ state }: Pick<BikeOrder, 'state'>): TagStyle => tagOf(state, payStateLabels, colors)

/** The page of one bike. */
export const infoOf = (carId: string): string => `/vehicle-info?carId=${encodeURIComponent(carId)}`

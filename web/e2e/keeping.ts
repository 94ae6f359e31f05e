/** Bikes of a spec's own, enrolled beside one of the city: they report nothing. */
import { type APIRequestContext } from '@playwright/test'
import { WORKER } from './fixtures'
import { machine, told } from './rides'
import { adminKeys, call } from './wire'

/** Where something is put: at a bike of the city. */
export interface Beside {
  agentId: string
  areaId: string
  lat: number | null
  lng: number | null
}

interface CityBike extends Beside {
  carId: string
  areaName: string
}

let made = 0

/** A bike of the simulated city (its numbers begin with W) that has reported and stands on the street of its area, with nothing wrong. */
export async function cityBike(request: APIRequestContext): Promise<CityBike> {
  const { data } = await call<{ rows: (CityBike & { alarmStates: readonly number[] })[] }>(request, adminKeys(), 'GET', '/vehicle/screening', { page: '1', pageSize: '200', keyword: 'W', ridingState: '1', lifecycle: '2', online: 'true' })
  const found = data.rows.find(({ lat, lng, alarmStates }) => lat !== null && lng !== null && alarmStates.length === 0)
  if (!found) throw new Error('no bike has a position yet')
  return found
}

/** So many new bikes on the street of an area of the city; their numbers begin alike. */
export async function ownBikes(request: APIRequestContext, count: number): Promise<{ prefix: string; cars: string[]; imeis: string[]; areaName: string }> {
  const { agentId, areaId, areaName, lat, lng } = await cityBike(request)
  made += 1
  const stamp = `${String(Date.now() % 100_000_000).padStart(8, '0')}${WORKER}${made}`
  const prefix = `K${stamp}`
  const vehicles = Array.from({ length: count }, (_, index) => ({
    carId: `${prefix}-${index}`,
    imei: `86${stamp.padStart(11, '0')}${String(index).padStart(2, '0')}`.slice(0, 15),
    plateNo: '',
    agentId,
    areaId,
    lat,
    lng,
  }))
  const { results } = await told<{ results: { error?: string }[] }>(await (await machine()).post('/open/v1/vehicles/batch', { data: { vehicles } }))
  const refused = results.find(({ error }) => error)
  if (refused) throw new Error(refused.error)
  return { prefix, cars: vehicles.map(({ carId }) => carId), imeis: vehicles.map(({ imei }) => imei), areaName }
}

/** Rides of new riders on bikes of the simulated city, through riders' own programs. */
import type { APIRequestContext, APIResponse } from '@playwright/test'
import { expect, WORKER } from './fixtures'

const RIDING = 1
let riders = 0

/** A ride that has begun. */
export interface Ride {
  orderId: string
  userId: string
}

export async function told(answer: APIResponse): Promise<Record<string, unknown>> {
  const body = (await answer.json()) as { suc: boolean; data: Record<string, unknown> }
  expect(body.suc, JSON.stringify(body)).toBe(true)
  return body.data
}

/** An identity number with its check digit. */
function idNo(number: number): string {
  const first = `3502031992${String(1 + (number % 12)).padStart(2, '0')}${String(1 + (Math.floor(number / 12) % 28)).padStart(2, '0')}${String(Math.floor(number / 336) % 1000).padStart(3, '0')}`
  const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
  const sum = weights.reduce((all, weight, index) => all + Number(first[index]) * weight, 0)
  return first + '10X98765432'[sum % 11]
}

/** A ride of a new rider on a bike of the city, that goes on; nothing when somebody was faster. */
async function begin(http: APIRequestContext, carId: string, areaId: string): Promise<Ride | null> {
  riders += 1
  const number = (Date.now() % 10_000_000) * 8 + WORKER * 4 + riders
  const phone = `133${String(number % 100_000_000).padStart(8, '0')}`
  const { userId } = await told(await http.post('/open/v1/rider/register', { data: { opAreaId: areaId, phone, channel: 1 } }))
  await told(await http.post('/open/v1/rider/verify', { data: { userId, name: '吴单', idNo: idNo(number) } }))
  const begun = (await (await http.post('/open/v1/rider/unlock', { data: { userId, carId } })).json()) as { suc: boolean; data: { orderId: string } }
  if (!begun.suc) return null
  const { orderId } = begun.data
  const order = async () => told(await http.get(`/open/v1/rider/order?userId=${String(userId)}&orderId=${orderId}`))
  await expect.poll(async () => (await order())['state'] === RIDING && !(await order())['isUnlocking'], { timeout: 30_000 }).toBe(true)
  return { orderId, userId: String(userId) }
}

/** A ride on a bike of the city, that goes on. */
export async function ride(http: APIRequestContext): Promise<Ride> {
  const feed = (await (await http.get('/open/gbfs/3.0/vehicle_status.json')).json()) as { data: { vehicles: { lat: number; lon: number }[] } }
  for (const { lat, lon } of feed.data.vehicles.slice(0, 20)) {
    // oxlint-disable-next-line no-await-in-loop -- the first one usually does
    const { rows } = (await told(await http.get(`/open/v1/rider/nearby?lat=${lat}&lng=${lon}`))) as { rows: { carId: string; lat: number; lng: number }[] }
    const [bike] = rows
    if (!bike) continue
    // oxlint-disable-next-line no-await-in-loop -- the first one usually does
    const { results } = (await told(await http.post('/open/v1/territory/judge', { data: { stops: [{ lat: bike.lat, lng: bike.lng }] } }))) as { results: { areaId: string | null }[] }
    const areaId = results[0]?.areaId
    // oxlint-disable-next-line no-await-in-loop -- the first one usually does
    const order = areaId ? await begin(http, bike.carId, areaId) : null
    if (order) return order
  }
  throw new Error('no bike of the city could be taken')
}

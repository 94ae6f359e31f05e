/** Rides of the simulated city, as riders' programs begin them, and a ban that is drawn about one. */
import { type APIRequestContext, type APIResponse, expect, request } from '@playwright/test'
import { machineToken, server, WORKER } from './fixtures'
import { adminKeys, call } from './wire'

const RIDING = 1
/** Of a degree of latitude about 145 m: what is drawn so far about a bike holds it beyond doubt, without another witness. */
const HALF = 0.0013
/** The provider takes it by agreement, in the background. */
const CHANNEL = 3
/** Left in a no-stop zone. */
const IN_BAN = 3
let riders = 0

export interface Rider {
  userId: string
  phone: string
}

/** A ride that goes on. */
export interface Ride extends Rider {
  orderId: string
  carId: string
  areaId: string
  lat: number
  lng: number
}

export const machine = () => request.newContext({ baseURL: server(), extraHTTPHeaders: { Authorization: `Bearer ${machineToken()}` } })

export async function told<Data = Record<string, unknown>>(answer: APIResponse): Promise<Data> {
  const body = (await answer.json()) as { suc: boolean; data: Data }
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

export const orderOf = async (http: APIRequestContext, { userId, orderId }: Pick<Ride, 'userId' | 'orderId'>) =>
  told(await http.get(`/open/v1/rider/order?userId=${userId}&orderId=${orderId}`))

export const accountOf = async (http: APIRequestContext, userId: string) => told(await http.get(`/open/v1/rider/account?userId=${userId}`))

/** Puts so much into a wallet by a payment, and waits until the provider has said that it is paid. */
async function topUp(http: APIRequestContext, userId: string, amountCents: number): Promise<void> {
  const { paymentId } = await told<{ paymentId: string }>(await http.post('/open/v1/rider/top-up', { data: { userId, channel: CHANNEL, agreed: true, amountCents } }))
  const state = async () => (await told(await http.get(`/open/v1/rider/payment?userId=${userId}&paymentId=${paymentId}`)))['state']
  await expect.poll(state, { timeout: 60_000, message: 'the payment ends' }).not.toBe(0)
  const { rechargeCents } = await accountOf(http, userId)
  expect(rechargeCents, 'the provider paid').toBe(amountCents)
}

/** A new rider who proved who he is. */
export async function come(http: APIRequestContext, areaId: string): Promise<Rider> {
  riders += 1
  const number = (Date.now() % 10_000_000) * 8 + WORKER * 4 + riders
  const phone = `133${String(number % 100_000_000).padStart(8, '0')}`
  const { userId } = await told<{ userId: string }>(await http.post('/open/v1/rider/register', { data: { opAreaId: areaId, phone, channel: 1 } }))
  await told(await http.post('/open/v1/rider/verify', { data: { userId, name: '吴单', idNo: idNo(number) } }))
  return { userId, phone }
}

/** A ride of a new rider on a bike of the city; nothing when somebody was faster. */
async function begin(http: APIRequestContext, carId: string, areaId: string, walletCents: number): Promise<(Rider & Pick<Ride, 'orderId'>) | null> {
  const rider = await come(http, areaId)
  const { userId } = rider
  if (walletCents > 0) await topUp(http, userId, walletCents)
  const begun = (await (await http.post('/open/v1/rider/unlock', { data: { userId, carId } })).json()) as { suc: boolean; data: { orderId: string } }
  if (!begun.suc) return null
  const { orderId } = begun.data
  const order = async () => orderOf(http, { userId, orderId })
  await expect.poll(async () => (await order())['state'] === RIDING && !(await order())['isUnlocking'], { timeout: 30_000 }).toBe(true)
  return { ...rider, orderId }
}

/** The corners of what is drawn about a place, closed. */
function cornersAbout({ lat, lng }: { lat: number; lng: number }): [number, number][] {
  const half = HALF / Math.cos((lat * Math.PI) / 180)
  return [
    [lng - half, lat - HALF],
    [lng + half, lat - HALF],
    [lng + half, lat + HALF],
    [lng - half, lat + HALF],
    [lng - half, lat - HALF],
  ]
}

/** The area that holds a place and all about it; null near its edge. */
async function areaAbout(http: APIRequestContext, place: { lat: number; lng: number }): Promise<string | null> {
  const stops = [place, ...cornersAbout(place).map(([lng, lat]) => ({ lat, lng }))].map(({ lat, lng }) => ({ lat, lng }))
  const { results } = await told<{ results: { areaId: string | null }[] }>(await http.post('/open/v1/territory/judge', { data: { stops } }))
  const [own] = results
  return own && results.every(({ areaId }) => areaId === own.areaId) ? own.areaId : null
}

/** Whether a bike belongs to an area: others are ridden into it, and their orders are of their own area. */
async function belongs(http: APIRequestContext, carId: string, areaId: string): Promise<boolean> {
  const found = await call<{ rows: { carId: string; areaId: string }[] }>(http, adminKeys(), 'GET', '/vehicle/screening', { page: '1', pageSize: '10', keyword: carId })
  return found.data.rows.some((bike) => bike.carId === carId && bike.areaId === areaId)
}

/** A new rider with so much in his wallet rides off on some bike of the city that stands well within its own area. */
export async function ride(http: APIRequestContext, walletCents = 0): Promise<Ride> {
  const feed = (await (await http.get('/open/gbfs/3.0/vehicle_status.json')).json()) as { data: { vehicles: { lat: number; lon: number }[] } }
  for (const { lat, lon } of feed.data.vehicles.slice(0, 60)) {
    // oxlint-disable-next-line no-await-in-loop -- the first one usually does
    const { rows } = await told<{ rows: { carId: string; lat: number; lng: number }[] }>(await http.get(`/open/v1/rider/nearby?lat=${lat}&lng=${lon}`))
    const [bike] = rows
    if (!bike) continue
    // oxlint-disable-next-line no-await-in-loop -- the first one usually does
    const areaId = await areaAbout(http, bike)
    // oxlint-disable-next-line no-await-in-loop -- the first one usually does
    const begun = areaId && (await belongs(http, bike.carId, areaId)) ? await begin(http, bike.carId, areaId, walletCents) : null
    if (areaId && begun) return { ...begun, areaId, ...bike }
  }
  throw new Error('no bike of the city could be taken')
}

/** Draws a no-stop zone about a ride's bike that costs so much, over whatever parking place it stands in; how it is switched off again. */
export async function banAbout(http: APIRequestContext, { areaId, lat, lng }: Ride, name: string, penaltyCents: number): Promise<() => Promise<void>> {
  const geometry = { type: 'Polygon', coordinates: [cornersAbout({ lat, lng })] }
  const body = { type: 'noStop', opAreaId: areaId, name, geometry, ban: { penaltyCents, weekdays: 127, hours: null }, confirmOverlap: true }
  const made = await call<{ id: string }>(http, adminKeys(), 'POST', '/fence', body)
  expect(made.suc, JSON.stringify(made)).toBe(true)
  // Those who judge rides hear of it a moment later.
  const machines = await machine()
  const judged = async () => told<{ results: { class: number | null }[] }>(await machines.post('/open/v1/territory/judge', { data: { stops: [{ lat, lng }] } }))
  await expect.poll(async () => (await judged()).results[0]?.class, { message: 'the ban counts' }).toBe(IN_BAN)
  return async () => {
    expect(await call(http, adminKeys(), 'POST', '/fence/state', { id: made.data.id, state: 0 })).toMatchObject({ suc: true })
  }
}

/** Ends a ride now, as support does, and waits until its wallet has paid. */
export async function endPaid(http: APIRequestContext, machines: APIRequestContext, of: Ride): Promise<number> {
  const ended = await call(http, adminKeys(), 'POST', '/order/forceEnd', { orderId: of.orderId, reason: '用户来电，车辆无法关锁' })
  expect(ended.suc, JSON.stringify(ended)).toBe(true)
  const order = await orderOf(machines, of)
  expect(order['state'], JSON.stringify(order)).toBe(4)
  return Number(order['payCents'])
}

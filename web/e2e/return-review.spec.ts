/** Return reviews: a ride of the simulated city whose place is not sure waits, is looked at with its evidence, and decided by keyboard. */
import { type APIRequestContext, type APIResponse, type Page, request } from '@playwright/test'
import { violationsOf } from './axe'
import { at, expect, machineToken, server, SIGNED_IN, test, WORKER } from './fixtures'

test.use({ storageState: SIGNED_IN })

const PAGE = '/carReturn-approve'
const RIDING = 1
const HELD = 2
/** A penalty may be due there. */
const OUTSIDE_PARKING = 1
let riders = 0

async function told(answer: APIResponse): Promise<Record<string, unknown>> {
  const body = (await answer.json()) as { suc: boolean; data: Record<string, unknown> }
  expect(body.suc, JSON.stringify(body)).toBe(true)
  return body.data
}

const program = () => request.newContext({ baseURL: server(), extraHTTPHeaders: { Authorization: `Bearer ${machineToken()}` } })

/** An identity number with its check digit. */
function idNo(number: number): string {
  const first = `3502031991${String(1 + (number % 12)).padStart(2, '0')}${String(1 + (Math.floor(number / 12) % 28)).padStart(2, '0')}${String(Math.floor(number / 336) % 1000).padStart(3, '0')}`
  const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
  const sum = weights.reduce((all, weight, index) => all + Number(first[index]) * weight, 0)
  return first + '10X98765432'[sum % 11]
}

interface Judged {
  areaId: string
  class: number
  nearest: { beyondM: number } | null
}

interface Bike {
  carId: string
  lat: number
  lng: number
}

/** Rentable bikes of the city that stand outside of parking places, with their areas. */
async function outside(http: APIRequestContext): Promise<{ bike: Bike; areaId: string }[]> {
  const feed = (await (await http.get('/open/gbfs/3.0/vehicle_status.json')).json()) as { data: { vehicles: { lat: number; lon: number }[] } }
  const found = new Map<string, Bike>()
  for (const { lat, lon } of feed.data.vehicles.slice(0, 40)) {
    // oxlint-disable-next-line no-await-in-loop -- few, and the first ones usually do
    const { rows } = (await told(await http.get(`/open/v1/rider/nearby?lat=${lat}&lng=${lon}`))) as { rows: Bike[] }
    for (const bike of rows) found.set(bike.carId, bike)
  }
  const bikes = [...found.values()]
  const stops = bikes.map(({ lat, lng }) => ({ lat, lng }))
  const { results } = (await told(await http.post('/open/v1/territory/judge', { data: { stops: stops.slice(0, 1000) } }))) as { results: Judged[] }
  return bikes.flatMap((bike, index) => {
    const judged = results[index]
    return judged?.class === OUTSIDE_PARKING ? [{ bike, areaId: judged.areaId }] : []
  })
}

/** A ride of a new rider that begins and ends beside a parking place; his phone stands half a kilometre away in a parking place or not at all. */
async function ride(http: APIRequestContext, { bike, areaId }: { bike: Bike; areaId: string }): Promise<string | null> {
  riders += 1
  const number = (Date.now() % 10_000_000) * 8 + WORKER * 4 + riders
  const phone = `134${String(number % 100_000_000).padStart(8, '0')}`
  const { userId } = await told(await http.post('/open/v1/rider/register', { data: { opAreaId: areaId, phone, channel: 1 } }))
  await told(await http.post('/open/v1/rider/verify', { data: { userId, name: '周审', idNo: idNo(number) } }))
  const begun = (await (await http.post('/open/v1/rider/unlock', { data: { userId, carId: bike.carId } })).json()) as { suc: boolean; data: { orderId: string } }
  // Somebody of the city was faster.
  if (!begun.suc) return null
  const { orderId } = begun.data
  const order = async () => told(await http.get(`/open/v1/rider/order?userId=${String(userId)}&orderId=${orderId}`))
  await expect.poll(async () => (await order())['state'] === RIDING && !(await order())['isUnlocking'], { timeout: 30_000 }).toBe(true)
  // What a beacon proves is that it stands beside one, whatever its satellites say.
  await told(await http.post('/open/v1/rider/return', { data: { userId, orderId, proved: [1] } }))
  return (await order())['state'] === HELD ? orderId : null
}

const queue = (page: Page) => page.getByRole('region', { name: '待办队列' })
const opened = (page: Page) => page.locator('.review-case')

test('ROUTE-025 returns that are not sure are looked at with their evidence and decided by keyboard', async ({ page }) => {
  test.setTimeout(180_000)
  const http = await program()
  const held: string[] = []
  for (const stop of await outside(http)) {
    if (held.length === 2) break
    // oxlint-disable-next-line no-await-in-loop -- one ride after the other
    const order = await ride(http, stop)
    if (order) held.push(order)
  }
  expect(held, 'two returns wait').toHaveLength(2)

  await page.goto(at(`${PAGE}?keyword=${held[0]!}`))
  await expect(page.getByRole('heading', { name: '还车审核' })).toBeVisible()
  await expect(queue(page).locator('.review-entry')).toHaveCount(1)
  await expect(opened(page)).toContainText('站点外')
  await expect(opened(page)).toContainText('系统待确认')
  await expect(opened(page).getByRole('region', { name: '还车证据' })).toContainText('蓝牙道钉已识别')
  await expect(opened(page).locator('.return-map .leaflet-container')).toBeVisible()
  await expect(opened(page)).toContainText('此前没有申请')
  expect(await violationsOf(page)).toEqual([])
  await page.keyboard.press('a')
  await expect(page.getByText('已通过').first()).toBeVisible()
  await expect(queue(page)).toContainText('没有符合条件的记录')

  await page.goto(at(`${PAGE}?keyword=${held[1]!}`))
  await expect(queue(page).locator('.review-entry')).toHaveCount(1)
  await page.keyboard.press('r')
  const why = page.getByRole('dialog')
  await why.getByRole('button', { name: '照片中车辆不在停车区内' }).click()
  await why.getByRole('button', { name: '驳回' }).click()
  await expect(page.getByText('已驳回').first()).toBeVisible()
  await queue(page).getByRole('tab', { name: /未通过/ }).click()
  await expect(opened(page)).toContainText('照片中车辆不在停车区内')
})

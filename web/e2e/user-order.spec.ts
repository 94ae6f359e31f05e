/** Orders of the back-office: a ride of the simulated city is ended by support, looked at with its way and its fare, and lowered. */
import { type APIRequestContext, type APIResponse, request } from '@playwright/test'
import { violationsOf } from './axe'
import { at, expect, machineToken, server, SIGNED_IN, test, WORKER } from './fixtures'

test.use({ storageState: SIGNED_IN })

const RIDING = 1
const SIZES = [
  [1920, 1080],
  [1366, 768],
  [390, 844],
] as const
let riders = 0

async function told(answer: APIResponse): Promise<Record<string, unknown>> {
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
async function begin(http: APIRequestContext, carId: string, areaId: string): Promise<string | null> {
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
  return orderId
}

async function ride(http: APIRequestContext): Promise<string> {
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

test('ROUTE-022 ROUTE-116 an order is found, ended at its true time, and shown with all that its fare follows from', async ({ page }) => {
  test.setTimeout(180_000)
  const http = await request.newContext({ baseURL: server(), extraHTTPHeaders: { Authorization: `Bearer ${machineToken()}` } })
  const order = await ride(http)
  await page.goto(at('/user-order'))
  const keyword = page.getByRole('search').getByPlaceholder('订单号、车辆编号或完整手机号')
  await keyword.fill(order)
  await keyword.press('Enter')
  const row = page.getByRole('row').filter({ hasText: order })
  await expect(row).toContainText('骑行中')
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height })
    await page.screenshot({ path: test.info().outputPath(`list-${width}.png`) })
  }
  await page.setViewportSize({ width: 1366, height: 768 })
  await row.getByText(order).click()
  const drawer = page.getByRole('dialog').filter({ hasText: '轨迹与费用依据' })
  await drawer.getByRole('button', { name: '强制结束' }).click()
  const dialog = page.getByRole('dialog').filter({ hasText: '实际结束时间' })
  await dialog.getByRole('button', { name: '强制结束' }).click()
  await expect(dialog.getByText('请填写原因')).toBeVisible()
  await dialog.getByLabel('原因').fill('用户来电，车辆无法关锁')
  await dialog.getByRole('button', { name: '强制结束' }).click()
  await expect(dialog).toBeHidden()
  await expect(drawer).toContainText('客服结束')
  await page.screenshot({ path: test.info().outputPath('drawer-1366.png') })
  await drawer.getByRole('link', { name: '轨迹与费用依据' }).click()

  await expect(page.getByRole('heading', { level: 1 })).toContainText(order)
  const part = (name: string) => page.getByRole('region', { name, exact: true })
  await part('轨迹').getByRole('button', { name: '查看轨迹并记录' }).click()
  await expect(part('轨迹')).toContainText(/个轨迹点|没有轨迹点/)
  await expect(part('还车证据').getByRole('listitem').first()).toBeVisible()
  await expect(part('操作记录')).toContainText('说明原因')
  if (await part('重算与假设').isVisible()) {
    await expect(part('重算与假设')).toContainText('每一分钱都与订单一致')
    await part('重算与假设').getByText('不收调度费与头盔费').click()
    await expect(part('重算与假设')).toContainText('假设（元）')
  }
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height })
    await page.waitForTimeout(500)
    await page.screenshot({ path: test.info().outputPath(`detail-${width}.png`), fullPage: true })
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect(wide, `at ${width} nothing sticks out`).toBeLessThanOrEqual(0)
  }
  expect(await violationsOf(page)).toEqual([])
})

test('ROUTE-116 an order that is not there says so', async ({ page }) => {
  await page.goto(at('/user-order-detail'))
  await expect(page.getByText('地址中缺少订单编号')).toBeVisible()
  await page.goto(at('/user-order-detail?orderId=1'))
  await expect(page.locator('.ant-result')).toBeVisible()
  await page.getByRole('link', { name: '返回用户订单' }).click()
  await expect(page.getByRole('heading', { name: '用户订单' })).toBeVisible()
})

/** What riders did not get is listed by reason beside orders, and who owes for a ride is reminded. */
import { violationsOf } from './axe'
import { fitsEverywhere, pictured, settled } from './built'
import { at, expect, hashOf, SIGNED_IN, test } from './fixtures'
import { come, machine, ride, told } from './rides'

test.use({ storageState: SIGNED_IN })

/** A ride of the city costs something after so long, at the latest. */
const FREE_MS = 75_000
/** Nobody is reminded at night. */
const isNight = () => {
  const hour = new Date(Date.now() + 8 * 3_600_000).getUTCHours()
  return hour < 8 || hour >= 22
}

test('ROUTE-022 a bike that somebody rides is missed by another one, who is found by his reason', async ({ page }) => {
  test.setTimeout(180_000)
  const http = await machine()
  const { carId, areaId } = await ride(http)
  const { userId, phone } = await come(http, areaId)
  const scanned = await told(await http.get(`/open/v1/rider/scan?carId=${encodeURIComponent(carId)}&userId=${userId}`))
  expect(scanned['rentable']).toBe(false)

  await page.goto(at('/user-order'))
  await page.locator('.views > .ant-tabs').getByRole('tab', { name: '丢单' }).click()
  await expect.poll(() => hashOf(page)).toBe('/user-order?view=misses')
  await expect(page.getByRole('heading', { name: '丢单' })).toBeVisible()
  const keyword = page.getByRole('search').getByPlaceholder('车辆编号或完整手机号')
  await keyword.fill(phone)
  await keyword.press('Enter')
  const row = page.getByRole('row').filter({ hasText: carId })
  await expect(async () => {
    await page.getByRole('button', { name: '刷新' }).click()
    await expect(row).toHaveCount(1, { timeout: 1_000 })
  }).toPass({ timeout: 30_000 })
  await expect(row).toContainText('车辆使用中')
  const parts = page.getByRole('list', { name: '按原因拆分' })
  await expect(parts.getByRole('button')).toHaveCount(1)
  await parts.getByRole('button', { name: /车辆使用中/ }).click()
  await expect.poll(() => hashOf(page)).toContain('reason=5')
  await expect(parts.getByRole('button', { name: /车辆使用中/ })).toHaveAttribute('aria-pressed', 'true')

  await row.getByText(carId).click()
  const drawer = page.getByRole('dialog').filter({ hasText: '查看用户' })
  await expect(drawer).toContainText('扫码')
  await expect(drawer.locator('.leaflet-container')).toBeVisible()
  await expect(drawer.getByRole('link', { name: '在地图上查看车辆' })).toHaveAttribute('href', new RegExp(`carId=${carId}`))
  await expect(drawer.getByRole('link', { name: '查看用户' })).toHaveAttribute('href', new RegExp(`userId=${userId}`))
  await page.setViewportSize({ width: 1366, height: 768 })
  await pictured(page, 'drawer-1366')
  expect(await violationsOf(page)).toEqual([])
  await page.goto(at('/user-order?view=misses'))
  await settled(page)
  expect(await violationsOf(page)).toEqual([])
  await fitsEverywhere(page, 'misses')
})

test('ROUTE-116 who owes for a ride is reminded from its page, once an hour and not at night', async ({ page }) => {
  test.setTimeout(360_000)
  const http = await machine()
  const { orderId, userId } = await ride(http)
  await page.goto(at(`/user-order-detail?orderId=${orderId}`))
  const act = (name: string) => page.locator('.order-acts').getByRole('button', { name, exact: true })
  await expect(act('催缴')).toBeDisabled()
  // The first minutes of a ride are free.
  const { startAt } = await told(await http.get(`/open/v1/rider/order?userId=${userId}&orderId=${orderId}`))
  await expect.poll(() => Date.now() - Number(startAt), { timeout: FREE_MS * 2, intervals: [1_000] }).toBeGreaterThan(FREE_MS)
  await act('强制结束').click()
  const ending = page.getByRole('dialog').filter({ hasText: '实际结束时间' })
  await ending.getByLabel('原因').fill('用户来电，车辆无法关锁')
  await ending.getByRole('button', { name: '强制结束' }).click()
  await expect(ending).toBeHidden()
  await expect(page.getByRole('heading', { level: 1 })).toContainText('待支付')
  if (isNight()) {
    await expect(act('催缴')).toBeDisabled()
    return
  }
  await act('催缴').click()
  const dialog = page.getByRole('dialog').filter({ hasText: '一小时内只能催缴一次' })
  await dialog.getByRole('button', { name: '催缴' }).click()
  await expect(page.getByText('已催缴，用户打开客户端时会看到')).toBeVisible()
  await expect(dialog).toBeHidden()
  await expect(page.getByText(/1 次 · 最近 \d{4}/)).toBeVisible()
  await expect(act('催缴')).toBeDisabled()
  await page.setViewportSize({ width: 1366, height: 768 })
  await pictured(page, 'reminded-1366')
  expect(await violationsOf(page)).toEqual([])
  const arrears = await told(await http.get(`/open/v1/rider/arrears?userId=${userId}`))
  expect(arrears['rows']).toMatchObject([{ orderId, reminders: 1, remindWay: 0 }])
})

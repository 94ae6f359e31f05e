/** Orders of the back-office: a ride of the simulated city is ended by support, looked at with its way and its fare, and lowered. */
import { violationsOf } from './axe'
import { fitsEverywhere, pictured } from './built'
import { at, expect, SIGNED_IN, test } from './fixtures'
import { machine, ride } from './rides'

test.use({ storageState: SIGNED_IN })

test('ROUTE-022 ROUTE-116 an order is found, ended at its true time, and shown with all that its fare follows from', async ({ page }) => {
  test.setTimeout(180_000)
  const { orderId: order } = await ride(await machine())
  await page.goto(at('/user-order'))
  const keyword = page.getByRole('search').getByPlaceholder('订单号、车辆编号或完整手机号')
  await keyword.fill(order)
  await keyword.press('Enter')
  const row = page.getByRole('row').filter({ hasText: order })
  await expect(row).toContainText('骑行中')
  await fitsEverywhere(page, 'list')
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
  await pictured(page, 'drawer-1366')
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
  await fitsEverywhere(page, 'detail')
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

/** Strange orders: a view of the orders' page, with what the server does by itself and when it last did. */
import { violationsOf } from './axe'
import { fitsEverywhere, settled } from './built'
import { at, expect, hashOf, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

test('ROUTE-022 strange orders are a view of the orders, which the address names', async ({ page }) => {
  test.setTimeout(180_000)
  await page.goto(at('/user-order'))
  const view = (name: RegExp) => page.locator('.views > .ant-tabs').getByRole('tab', { name })
  await expect(page.getByRole('heading', { name: '用户订单' })).toBeVisible()
  await expect(view(/用户订单/)).toHaveAttribute('aria-selected', 'true')
  await view(/异常订单/).click()
  await expect.poll(() => hashOf(page)).toBe('/user-order?view=anomalies')
  await expect(page.getByRole('heading', { name: '异常订单' })).toBeVisible()
  // The server looks at all orders every minute, and the page says when.
  await expect(page.getByText(/上次核对 \d{4}-\d\d-\d\d/).first()).toBeVisible({ timeout: 120_000 })

  await page.getByRole('tab', { name: /待处理/ }).click()
  await expect.poll(() => hashOf(page)).toBe('/user-order?view=anomalies&state=0')
  const keyword = page.getByRole('search').getByPlaceholder('订单号、车辆编号或完整手机号')
  await keyword.fill('zz没有这样的记录')
  await expect.poll(() => hashOf(page)).toContain('zz')
  await expect(page.locator('.ant-table')).toContainText('没有符合')
  await page.getByRole('search').getByRole('button', { name: '重置' }).click()
  await expect.poll(() => hashOf(page)).toBe('/user-order?view=anomalies')
  await settled(page)
  expect(await violationsOf(page)).toEqual([])
  await fitsEverywhere(page, 'anomalies')
  await page.setViewportSize({ width: 1366, height: 768 })
  await view(/用户订单/).click()
  await expect.poll(() => hashOf(page)).toBe('/user-order')
  await expect(page.getByRole('heading', { name: '用户订单' })).toBeVisible()
})

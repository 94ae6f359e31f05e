/** A bike that was just ridden is found in its log, one of its events is opened, followed along its trace, and taken away. */
import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { violationsOf } from './axe'
import { fitsEverywhere, pictured, settled } from './built'
import { at, expect, hashOf, SIGNED_IN, test } from './fixtures'
import { machine, type Ride, ride } from './rides'

test.use({ storageState: SIGNED_IN })

const rows = (page: Page) => page.locator('.ant-table tr[data-row-key]')
const rowOf = (page: Page, event: string) => rows(page).filter({ hasText: event })

/** The events of a ride, found by its bike and order. */
async function find(page: Page, { carId, orderId }: Ride): Promise<void> {
  await page.goto(at('/operation/vehicle-log'))
  await expect(page.getByRole('heading', { name: '车辆日志' })).toBeVisible()
  const search = page.getByRole('search')
  await search.getByPlaceholder('车辆编号或 15 位 IMEI').fill(carId)
  await search.getByRole('button', { name: '展开' }).click()
  await search.getByLabel('订单号').fill(orderId)
  await search.getByLabel('订单号').press('Enter')
  await expect(async () => {
    await page.getByRole('button', { name: '刷新' }).click()
    await expect(rowOf(page, '开始骑行')).toHaveCount(1, { timeout: 1_000 })
  }).toPass({ timeout: 30_000 })
}

test('ROUTE-039 the life of a bike is told, opened, followed along its trace and taken away', async ({ page }) => {
  test.setTimeout(180_000)
  const ridden = await ride(await machine())
  await find(page, ridden)
  await expect.poll(() => hashOf(page)).toContain(`carId=${ridden.carId}`)

  const asked = rowOf(page, '请求开锁')
  await expect(asked).toContainText('133****')
  await asked.click()
  const drawer = page.getByRole('dialog').filter({ hasText: '打开链路' })
  await expect(drawer.getByRole('row', { name: /订单状态/ })).toContainText('开锁中')
  await expect(drawer).toContainText(/用户 · 133\*{4}\d{4}/)
  await expect(drawer.getByRole('link', { name: '查看订单' })).toHaveAttribute('href', new RegExp(`orderId=${ridden.orderId}`))
  await expect(drawer.getByRole('link', { name: '在地图上查看车辆' })).toHaveAttribute('href', new RegExp(`carId=${ridden.carId}`))
  await page.setViewportSize({ width: 1366, height: 768 })
  await pictured(page, 'drawer-1366')
  expect(await violationsOf(page)).toEqual([])
  await drawer.getByRole('link', { name: '打开链路' }).click()

  await expect.poll(() => hashOf(page)).toContain('traceId=')
  expect(hashOf(page)).not.toContain('orderId=')
  // Its lock answered, and the ride began, though neither named the request.
  await expect(rows(page)).toHaveCount(5)
  for (const event of ['骑行状态变更', '请求开锁', '下发指令', '指令成功', '开始骑行']) await expect(rowOf(page, event)).toHaveCount(1)

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: '导出', exact: true }).click()
  const lines = readFileSync(await (await download).path(), 'utf8').trim().split('\r\n')
  expect(lines).toHaveLength(6)
  expect(lines.join('\n')).toContain('骑行状态：待使用 → 骑行中')
  expect(lines.join('\n')).not.toContain(ridden.phone)

  await page.getByRole('search').getByRole('combobox', { name: '事件类别' }).click()
  await page.locator('.ant-select-dropdown:visible .ant-select-item-option').filter({ hasText: '指令' }).click()
  await expect(rows(page)).toHaveCount(2)
  await settled(page)
  expect(await violationsOf(page)).toEqual([])
  await fitsEverywhere(page, 'trace')
})

test('ROUTE-039 more than a month at once is refused, and says how to ask', async ({ page }) => {
  await page.goto(at('/operation/vehicle-log?startTime=2026-01-01&endTime=2026-03-01'))
  await expect(page.getByText('一次最多查看或导出 31 天的日志，请缩短时间范围').first()).toBeVisible()
})

/** Devices all together and one by one: who is on line, how good signals are, what was told. */
import { violationsOf } from './axe'
import { fitsEverywhere, pictured, settled } from './built'
import { at, expect, SIGNED_IN, test } from './fixtures'
import { cityBike, ownBikes } from './keeping'

test.use({ storageState: SIGNED_IN })

test('ROUTE-015 a device of the city is on line, with the curves of its signal and voltage', async ({ page, request }) => {
  const { carId } = await cityBike(request)
  await page.goto(at('/vehicle/vehicle-visualization'))
  await expect(page.getByRole('heading', { name: '设备监控' })).toBeVisible()
  await expect(page.getByRole('region', { name: '在线率' })).toContainText('每小时')
  await expect(page.getByRole('region', { name: '在线情况' })).toContainText(/在线 [1-9]/)
  await expect(page.getByRole('region', { name: '信号分布' })).toContainText(/强 \d/)
  await settled(page)
  expect(await violationsOf(page)).toEqual([])
  await fitsEverywhere(page, 'devices')
  await page.setViewportSize({ width: 1366, height: 768 })
  await page.goto(at(`/vehicle/vehicle-visualization?keyword=${carId}&open=${carId}`))
  const drawer = page.locator('.ant-drawer-open')
  await expect(drawer.getByRole('img', { name: /^信号从/ })).toBeVisible({ timeout: 30_000 })
  await expect(drawer.getByRole('img', { name: /^电压从/ })).toBeVisible()
  await pictured(page, 'device-1366')
  expect(await violationsOf(page)).toEqual([])
})

test('ROUTE-015 devices that never reported are counted, and restarted together', async ({ page, request }) => {
  const { prefix } = await ownBikes(request, 2)
  await page.goto(at(`/vehicle/vehicle-visualization?keyword=${prefix}`))
  await expect(page.getByRole('region', { name: '在线情况' })).toContainText('从未上报 2')
  const rows = page.locator('.ant-table tr[data-row-key]')
  await expect(rows.filter({ hasText: '从未上报' })).toHaveCount(2)
  await page.locator('.ant-table-thead .ant-checkbox-input').check()
  await page.getByRole('region', { name: '批量操作' }).getByRole('button', { name: '重启' }).click()
  await page.getByRole('dialog', { name: '重启：2 辆' }).getByRole('button', { name: '下一步' }).click()
  const question = page.getByRole('dialog', { name: /批量重启「/ })
  await question.getByRole('button', { name: '批量重启' }).click()
  await expect(page.getByText('已下发重启指令 2 辆')).toBeVisible()
  await page.goto(at(`/vehicle-info?carId=${prefix}-0`))
  await page.getByRole('tab', { name: '指令' }).click()
  await expect(page.locator('.ant-table').last()).toContainText('重启')
})

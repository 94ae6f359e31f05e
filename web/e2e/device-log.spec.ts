/** What the device of a bike that was just ridden was told and answered is found in its log, opened, and taken away. */
import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { violationsOf } from './axe'
import { fitsEverywhere, pictured, settled } from './built'
import { at, expect, hashOf, SIGNED_IN, test } from './fixtures'
import { machine, ride } from './rides'

test.use({ storageState: SIGNED_IN })

const rows = (page: Page) => page.locator('.ant-table tr[data-row-key]')
const box = (page: Page) => page.getByRole('search').getByPlaceholder('车辆编号或 15 位 IMEI')

async function choose(page: Page, kind: string): Promise<void> {
  await page.getByRole('search').getByRole('combobox', { name: '日志类型' }).click()
  await page.locator('.ant-select-dropdown:visible .ant-select-item-option').filter({ hasText: kind }).click()
  await page.keyboard.press('Escape')
}

test('ROUTE-040 a page without a bike says what it needs, and leads there', async ({ page }) => {
  await page.goto(at('/operation/device-log'))
  await expect(page.getByRole('heading', { name: '设备日志' })).toBeVisible()
  await expect(page.getByText('还没有选择车辆')).toBeVisible()
  await page.getByRole('button', { name: '输入车辆' }).click()
  await expect(box(page)).toBeFocused()
})

test('ROUTE-040 the talk of a device is told by time, opened and taken away', async ({ page }) => {
  test.setTimeout(180_000)
  const { carId } = await ride(await machine())
  await page.goto(at('/operation/device-log'))
  await box(page).fill(carId)
  await box(page).press('Enter')
  await expect.poll(() => hashOf(page)).toContain(`carId=${carId}`)
  await expect(rows(page).filter({ hasText: '定位上报' }).first()).toContainText(/km\/h/)

  await choose(page, '指令')
  await expect.poll(() => hashOf(page)).toContain('kinds=1')
  const unlocked = rows(page).filter({ hasText: '开锁：成功' }).first()
  await expect(async () => {
    await page.getByRole('button', { name: '刷新' }).click()
    await expect(unlocked).toBeVisible({ timeout: 1_000 })
  }).toPass({ timeout: 30_000 })
  await expect(unlocked).toContainText('骑行用户')
  await unlocked.click()
  const drawer = page.getByRole('dialog').filter({ hasText: '应答用时' })
  await expect(drawer).toContainText(/\d+\.\d{2} 秒/)
  await expect(drawer.getByRole('link', { name: '在地图上查看车辆' })).toHaveAttribute('href', new RegExp(`carId=${carId}`))
  await expect(drawer.getByRole('link', { name: '这一天的车辆日志' })).toHaveAttribute('href', /operation\/vehicle-log\?carId=/)
  await page.setViewportSize({ width: 1366, height: 768 })
  await pictured(page, 'command-1366')
  expect(await violationsOf(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: '导出', exact: true }).click()
  const lines = readFileSync(await (await download).path(), 'utf8').trim().split('\r\n')
  expect(lines[0]).toContain('指令状态,应答代码')
  expect(lines.slice(1).every((line) => line.includes(',指令,'))).toBe(true)

  await page.goto(at(`/operation/device-log?carId=${carId}&kinds=3`))
  await rows(page).first().click()
  const report = page.getByRole('dialog').filter({ hasText: '位置（WGS-84）' })
  await expect(report).toContainText(/电量\s*\d+ %/)
  await page.keyboard.press('Escape')
  await expect(report).toBeHidden()
  await page.goto(at(`/operation/device-log?carId=${carId}`))
  await settled(page)
  expect(await violationsOf(page)).toEqual([])
  await fitsEverywhere(page, 'device')
})

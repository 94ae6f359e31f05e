/** The map at past moments: what a bike was then, as it played on, and what is not known. */
import type { Page } from '@playwright/test'
import { violationsOf } from './axe'
import { fitsEverywhere } from './built'
import { at, expect, hashOf, seen, SIGNED_IN, test } from './fixtures'
import { endPaid, machine, ride } from './rides'

test.use({ storageState: SIGNED_IN })

const FRAMES_MS = 12_000
const HOUR_MS = 3_600_000

async function lookBack(page: Page, moment: number): Promise<void> {
  await page.goto(at(`/vehicle/operation-map?at=${moment}`))
  await expect(page.getByRole('region', { name: '回看', exact: true })).toBeVisible()
}

async function find(page: Page, carId: string): Promise<void> {
  await page.getByRole('combobox', { name: '在地图上查找车辆' }).fill(carId)
  await page.locator('.ant-select-item-option', { hasText: carId }).click()
  await expect(page.getByRole('complementary', { name: `车辆 ${carId}` })).toBeVisible()
}

test('looking back shows what a bike was then, not what it is now', async ({ page, request }) => {
  const machines = await machine()
  const before = Date.now()
  const of = await ride(machines, 3000)
  // Until a frame holds what the bike said.
  await page.waitForTimeout(FRAMES_MS)
  const during = Date.now()
  await endPaid(request, machines, of)
  await page.waitForTimeout(FRAMES_MS)

  await lookBack(page, during)
  await expect.poll(async () => (await seen(page)).count, { timeout: 30_000 }).toBeGreaterThan(0)
  await find(page, of.carId)
  const card = page.getByRole('complementary', { name: `车辆 ${of.carId}` })
  await expect(card).toContainText('骑行中')
  await expect(page.getByRole('status').filter({ hasText: '正在回看' })).toBeVisible()
  expect(await violationsOf(page)).toEqual([])

  // It plays on to the present, where the ride is over.
  await page.getByText('10×', { exact: true }).click()
  await page.getByRole('button', { name: '播放' }).click()
  await expect(card).not.toContainText('骑行中', { timeout: 30_000 })
  await page.getByRole('button', { name: '暂停' }).click()
  const moment = Number(new URLSearchParams(hashOf(page).split('?')[1]).get('at'))
  expect(moment, 'the address says where it stood still').toBeGreaterThan(before)

  // The same bike now.
  await card.getByRole('button', { name: '看这辆车的现在' }).click()
  await expect(page.getByRole('region', { name: '运营地图' })).toBeVisible()
  expect(hashOf(page)).toContain(`carId=${of.carId}`)
  expect(hashOf(page)).not.toContain('at=')
})

test('of a time that is not known nothing is shown, and the tool of the map begins a little before now', async ({ page }) => {
  await lookBack(page, Date.now() - 26 * HOUR_MS)
  await expect(page.getByText('这个时刻没有车辆数据，地图上不显示车辆。')).toBeVisible()
  await expect(page.getByRole('status').filter({ hasText: '当时没有收到车辆上报' })).toBeVisible()
  expect((await seen(page)).count).toBe(0)
  await page.getByRole('button', { name: '回到现在' }).click()
  await expect(page.getByRole('region', { name: '运营地图' })).toBeVisible()
  await page.getByRole('button', { name: '回看最近 7 天' }).click()
  await expect(page.getByRole('region', { name: '回看', exact: true })).toBeVisible()
  const moment = Number(new URLSearchParams(hashOf(page).split('?')[1]).get('at'))
  expect(Math.abs(Date.now() - 600_000 - moment)).toBeLessThan(60_000)
  await fitsEverywhere(page, 'map-past')
})

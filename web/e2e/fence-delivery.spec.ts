/** Fences on their way to the bikes: publishing one sends it, the figure climbs, and who lags is listed with the reason. */
import type { Locator, Page } from '@playwright/test'
import { violationsOf } from './axe'
import { at, expect, rowOf, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

/** Controllers are sent a hundred messages a second; who missed it is sent it again after a minute. */
const CLIMBS_MS = 150_000

const drawer = (page: Page) => page.locator('.ant-drawer-open')
const figure = (page: Page) => drawer(page).locator('.delivery-figure b')

/** `已确认 12 / 40 辆`. */
async function shareOf(told: Locator): Promise<number> {
  const [has = 0, of = 0] = ((await told.innerText()).match(/[\d,]+/g) ?? []).map((count) => Number(count.replaceAll(',', '')))
  return of === 0 ? 0 : has / of
}

async function editionOf(page: Page): Promise<number> {
  const told = await drawer(page).locator('.delivery-figure p').innerText()
  return Number(/围栏版本 (\d+)/.exec(told)?.[1] ?? 0)
}

async function openDelivery(page: Page, area: string): Promise<void> {
  await page.goto(at(`/electronic/service-area-fence?keyword=${encodeURIComponent(area)}`))
  await expect(rowOf(page, area).locator('.delivery-line')).toContainText(/已确认 [\d,]+ \/ [\d,]+ 辆/)
  await rowOf(page, area).getByRole('button', { name: '编辑' }).click()
  await drawer(page).getByRole('tab', { name: '下发' }).click()
  await expect(figure(page)).toHaveText(/已确认 [\d,]+ \/ [\d,]+ 辆/)
}

/** Draws a small parking place in an area of the simulated city, whose bikes answer, and publishes it; the area. */
async function publishParking(page: Page, name: string): Promise<string> {
  await page.goto(at('/electronic/parking-fence'))
  await page.getByRole('button', { name: '新增停车区' }).first().click()
  await drawer(page).getByLabel('服务区', { exact: true }).click()
  const first = page.locator('.ant-select-dropdown:visible .ant-select-item-option').filter({ hasText: /服务区$/ }).first()
  const area = (await first.innerText()).trim()
  await first.click()
  await drawer(page).getByLabel('名称', { exact: true }).fill(name)
  const map = drawer(page).locator('.map-view')
  await expect(map).toBeVisible()
  await page.waitForTimeout(1000)
  const lies = await map.boundingBox()
  if (lies === null) throw new Error('no map')
  const corners = [
    // No zone of the city lies here.
    [0.52, 0.46],
    [0.56, 0.46],
    [0.56, 0.52],
    [0.52, 0.46],
  ] as const
  for (const [x, y] of corners) {
    const [left, top] = [lies.x + lies.width * x, lies.y + lies.height * y]
    await page.mouse.move(left, top)
    await page.mouse.click(left, top)
    // Two clicks at once would end the ring.
    await page.waitForTimeout(350)
  }
  await drawer(page).getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('草稿已保存，发布后生效')).toBeVisible()
  await rowOf(page, name).getByRole('button', { name: '发布' }).click()
  await page.getByRole('dialog', { name: /^发布/ }).getByRole('button', { name: /发\s*布/ }).click()
  await expect(page.getByText('围栏已发布')).toBeVisible()
  return area
}

test('a fence that is published is soon on the bikes of its area, and who lags is listed with the reason', async ({ page }) => {
  test.slow()
  const area = await publishParking(page, `下发测试站 ${Date.now() % 100_000}`)
  await openDelivery(page, area)
  const first = await editionOf(page)
  await expect.poll(() => shareOf(figure(page)), { timeout: CLIMBS_MS }).toBeGreaterThan(0.8)

  // A second one is an edition more, and climbs as well.
  await publishParking(page, `下发测试站 ${Date.now() % 100_000}`)
  await openDelivery(page, area)
  await expect.poll(() => editionOf(page), { timeout: 30_000 }).toBeGreaterThan(first)
  await expect.poll(() => shareOf(figure(page)), { timeout: CLIMBS_MS }).toBeGreaterThan(0.8)
  expect(await violationsOf(page)).toEqual([])

  const bikes = drawer(page).getByLabel('各车的下发情况')
  await bikes.getByLabel('按下发状态筛选').click()
  await page.locator('.ant-select-dropdown:visible .ant-select-item-option').filter({ hasText: /^已确认/ }).click()
  const held = bikes.locator('tbody tr[data-row-key]').first()
  await expect(held).toContainText('已确认')
  await expect(held.getByRole('link')).toHaveAttribute('href', /operation-map\?carId=/)
  if ((await shareOf(figure(page))) < 1) {
    await drawer(page).getByRole('button', { name: '重新下发' }).click()
    const question = page.getByRole('dialog').filter({ hasText: '已确认的车不受影响' })
    await question.getByRole('button', { name: '重新下发' }).click()
    await expect(page.getByText('已要求重新下发')).toBeVisible()
  }
})

import type { Page } from '@playwright/test'
import { violationsOf } from './axe'
import { cityBike } from './keeping'
import { pictured } from './built'
import { at, badge, expect, hashOf, seen, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

async function openMap(page: Page, query = ''): Promise<void> {
  await page.goto(at(`/vehicle/operation-map${query}`))
  await expect(page.getByRole('region', { name: '运营地图' })).toBeVisible()
  await expect(badge(page)).toHaveText('实时')
}

const filters = (page: Page) => page.getByRole('region', { name: '更多筛选' })
const count = async (page: Page) => Number((await filters(page).getByRole('status').innerText()).replaceAll(/[^\d]/g, ''))

test('what is picked beyond the legend is shown bike by bike at any zoom, counted, and kept in the address', async ({ page }) => {
  await openMap(page)
  await expect.poll(async () => (await seen(page)).paints, { timeout: 30_000 }).toBeGreaterThan(0)
  await page.getByRole('button', { name: '更多筛选' }).click()
  const area = page.getByRole('combobox', { name: '服务区' })
  await area.click()
  await page.locator('.ant-select-dropdown:visible .ant-select-item-option').filter({ hasText: /服务区$/ }).first().click()
  await page.keyboard.press('Escape')
  await expect(filters(page).getByRole('listitem')).toHaveText(/服务区：/)
  expect(hashOf(page)).toContain('area=')
  // Bikes of the area come one by one, however far out the map is: none is missing.
  await expect.poll(() => count(page)).toBeGreaterThan(0)
  await page.getByRole('button', { name: '全部服务区' }).click()
  await expect.poll(async () => (await seen(page)).count - (await count(page)), { timeout: 15_000 }).toBe(0)
  const all = await count(page)
  // Narrower still: nobody has both.
  await page.goto(at(`/vehicle/operation-map?${hashOf(page).split('?')[1]}&soc=0-100&ride=2`))
  await expect(filters(page).getByRole('listitem')).toHaveCount(3)
  await expect.poll(() => count(page)).toBeLessThan(all)
  await filters(page).getByRole('button', { name: /去掉骑行/ }).click()
  await expect.poll(() => count(page)).toBe(all)
  expect(await violationsOf(page)).toEqual([])
  await filters(page).getByRole('button', { name: '清除' }).click()
  await expect(filters(page).getByRole('status')).toHaveCount(0)
  expect(hashOf(page)).not.toContain('area=')

  // Those that stand much longer than the ones around them: the server knows what that is.
  await page.getByRole('button', { name: '更多筛选' }).click()
  await page.getByText('疑似丢失').click()
  await expect(filters(page).getByRole('listitem')).toHaveText(/疑似丢失/)
  await expect(filters(page).getByRole('status')).toHaveText(/\d/)
  expect(hashOf(page)).toContain('lost=1')
  await pictured(page, 'form')
})

test('how long a bike stands unused is told beside those around it', async ({ page, request }) => {
  const { carId } = await cityBike(request)
  await openMap(page, `?carId=${carId}`)
  await expect(page.locator('.opmap-fact').filter({ hasText: '闲置' })).toContainText(/小时|天/)
  await pictured(page, 'idle')
})

test('bikes in a box that was drawn are told something together, and each is answered', async ({ page }) => {
  await openMap(page, '?soc=0-100')
  await page.getByRole('button', { name: '全部服务区' }).click()
  await expect.poll(() => count(page), { timeout: 30_000 }).toBeGreaterThan(1)
  await expect.poll(async () => (await seen(page)).count - (await count(page)), { timeout: 15_000 }).toBe(0)
  const box = await page.getByRole('region', { name: '运营地图' }).boundingBox()
  const { x, y, width, height } = box!
  await page.getByRole('button', { name: '框选车辆' }).click()
  const tool = page.getByRole('application', { name: /画框/ })
  await expect(tool).toBeVisible()
  // Esc takes the tool back before anything is drawn, and so does one more click on it.
  await page.keyboard.press('Escape')
  await expect(tool).toHaveCount(0)
  await page.getByRole('button', { name: '框选车辆' }).click()
  await page.getByRole('button', { name: '框选车辆' }).click()
  await expect(tool).toHaveCount(0)
  await page.getByRole('button', { name: '框选车辆' }).click()
  await expect(tool).toBeVisible()
  await page.mouse.move(x + width * 0.3, y + height * 0.2)
  await page.mouse.down()
  await page.mouse.move(x + width * 0.6, y + height * 0.5, { steps: 4 })
  await page.mouse.move(x + width * 0.8, y + height * 0.85, { steps: 4 })
  await page.mouse.up()
  const bar = page.getByRole('toolbar', { name: '选中的车辆' })
  await expect(bar.getByRole('status')).toHaveText(/已选 [1-9]/)
  await bar.getByRole('button', { name: '寻车铃' }).click()
  const question = page.getByRole('dialog')
  await expect(question).toContainText('在线的车辆响铃')
  await question.getByRole('button', { name: /批量寻车铃/ }).click()
  await expect(page.getByText(/已下发寻车铃指令 [1-9]/).first()).toBeVisible({ timeout: 30_000 })
  await expect(bar).toHaveCount(0)
})

test('heat and the levels of parking places are laid on the map, and stay for the next visit', async ({ page }) => {
  await openMap(page)
  const levels = page.waitForResponse((answer) => answer.url().includes('/fence/map/stations'))
  await page.getByRole('button', { name: '站点水位' }).click()
  expect((await levels).ok()).toBe(true)
  await page.getByRole('button', { name: '热力' }).click()
  await page.reload()
  await expect(page.getByRole('button', { name: '热力' })).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByRole('button', { name: '站点水位' })).toHaveAttribute('aria-pressed', 'true')
  await expect(page.locator('.leaflet-container canvas').nth(4)).toBeAttached()
})

test('the board of bikes that cannot be rented says why, and a click shows them', async ({ page }) => {
  await openMap(page)
  await page.getByRole('button', { name: '不可租看板' }).click()
  const board = page.getByRole('complementary', { name: '不可租看板' })
  await expect(board).toContainText(/空闲的 [\d,]+ 辆中有/)
  const [reason] = await board.locator('tbody tr').all()
  if (reason === undefined) throw new Error('the simulated city has no bike that cannot be rented')
  const name = await reason.getByRole('button').innerText()
  await reason.getByRole('button').click()
  await expect(filters(page).getByRole('listitem')).toHaveText(`不可租：${name}`)
  await expect(reason.getByRole('button')).toHaveAttribute('aria-pressed', 'true')
  expect(await violationsOf(page)).toEqual([])
  await reason.getByRole('button').click()
  await expect(filters(page).getByRole('listitem')).toHaveCount(0)
  await board.getByRole('button', { name: '关闭' }).click()
  await expect(board).toHaveCount(0)
})

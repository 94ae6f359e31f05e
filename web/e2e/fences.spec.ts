/** Fences: drawn on the map, published, drawn anew and rolled back. */
import type { Locator, Page } from '@playwright/test'
import { violationsOf } from './axe'
import { at, expect, rowOf, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

const drawer = (page: Page) => page.locator('.ant-drawer-open')

/** A place in the map's box, by shares of it. */
async function placeIn(map: Locator, x: number, y: number): Promise<[number, number]> {
  const box = await map.boundingBox()
  if (box === null) throw new Error('no map')
  return [box.x + box.width * x, box.y + box.height * y]
}

/** Clicks corner after corner, and the first one again. */
async function drawRing(page: Page, map: Locator, corners: readonly (readonly [number, number])[]): Promise<void> {
  for (const [x, y] of [...corners, corners[0]!]) {
    const [left, top] = await placeIn(map, x, y)
    await page.mouse.move(left, top)
    await page.mouse.click(left, top)
    // Two clicks at once would end the ring.
    await page.waitForTimeout(350)
  }
}

async function coordinates(page: Page): Promise<string> {
  const box = drawer(page).getByLabel('坐标', { exact: true })
  if (!(await box.isVisible())) await drawer(page).getByText('坐标（WGS-84）').click()
  return box.inputValue()
}

test('ROUTE-070 API-072 a parking place is drawn, published, moved and rolled back', async ({ page }) => {
  const name = `测试站 ${Date.now() % 100_000}`
  await page.goto(at('/electronic/parking-fence'))
  await page.getByRole('button', { name: '新增停车区' }).first().click()
  await drawer(page).getByLabel('服务区').click()
  await page.locator('.ant-select-dropdown:visible .ant-select-item-option').first().click()
  await drawer(page).getByLabel('名称', { exact: true }).fill(name)
  const map = drawer(page).locator('.map-view')
  await expect(map).toBeVisible()
  await page.waitForTimeout(1000)
  await drawRing(page, map, [
    [0.46, 0.43],
    [0.54, 0.43],
    [0.54, 0.57],
    [0.46, 0.57],
  ])
  await expect.poll(() => coordinates(page)).toMatch(/^(\d+\.\d+, \d+\.\d+\n){3}\d+\.\d+, \d+\.\d+$/)
  const drawn = await coordinates(page)
  // Undone and redone it is the same.
  await drawer(page).getByRole('button', { name: '撤销' }).click()
  await expect.poll(() => coordinates(page)).toBe('')
  await drawer(page).getByRole('button', { name: '重做' }).click()
  await expect.poll(() => coordinates(page)).toBe(drawn)
  await drawer(page).getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('草稿已保存，发布后生效')).toBeVisible()

  // A draft counts for nobody until it is published.
  const row = rowOf(page, name)
  await expect(row).toContainText('草稿')
  await row.getByRole('button', { name: '发布' }).click()
  await page.getByRole('dialog', { name: /^发布停车区/ }).getByRole('button', { name: /发\s*布/ }).click()
  await expect(page.getByText('围栏已发布')).toBeVisible()
  await expect(row).toContainText('生效中')

  // Moved by its numbers, which does without a mouse.
  await row.getByRole('button', { name: '编辑' }).click()
  await expect(drawer(page).locator('.fence-draw-map .map-view')).toBeVisible()
  expect(await violationsOf(page)).toEqual([])
  await coordinates(page)
  const moved = drawn.replaceAll(/^(\d+\.\d+)/gm, (lng) => (Number(lng) + 0.0002).toFixed(9))
  await drawer(page).getByLabel('坐标', { exact: true }).fill(moved)
  await drawer(page).getByRole('button', { name: '画到地图上' }).click()
  await drawer(page).getByLabel('停放上限').fill('66')
  await drawer(page).getByRole('button', { name: '保存' }).click()
  await expect(drawer(page).getByText(/有未发布的草稿；第 1 版仍在使用/)).toBeVisible()
  await drawer(page).getByRole('button', { name: '发布草稿' }).click()
  await page.getByRole('dialog', { name: /^发布停车区/ }).getByRole('button', { name: /发\s*布/ }).click()

  await drawer(page).getByRole('tab', { name: '版本' }).click()
  const version = (number: number) => drawer(page).getByRole('listitem', { name: `第 ${number} 版` })
  await expect(version(2)).toContainText('生效中')
  await expect(version(2)).toContainText('停放上限 50 → 66')
  await expect(version(1)).toContainText('已失效')
  await version(1).getByRole('button', { name: '对比' }).click()
  await expect(drawer(page).getByText('地图上是第 2 版，斜线是第 1 版')).toBeVisible()
  await version(1).getByRole('button', { name: '回滚到此版' }).click()
  await page.getByRole('dialog', { name: /回滚到第 1 版/ }).getByRole('button', { name: /回滚到第 1 版/ }).click()
  await expect(version(3)).toContainText('生效中')
  await expect(version(3)).toContainText('停放上限 66 → 50')
  await page.keyboard.press('Escape')
  await expect(row).toContainText('生效中')
  await expect(row).toContainText('50')
})

test('what reaches out of its area is refused at the edge, with the place', async ({ page }) => {
  await page.goto(at('/electronic/no-stop-fence'))
  await page.getByRole('button', { name: '新增禁停区' }).first().click()
  await drawer(page).getByLabel('服务区').click()
  await page.locator('.ant-select-dropdown:visible .ant-select-item-option').first().click()
  await drawer(page).getByLabel('名称', { exact: true }).fill('出界')
  await expect(drawer(page).locator('.map-view')).toBeVisible()
  await coordinates(page)
  await drawer(page).getByLabel('坐标', { exact: true }).fill('10, 10\n10.001, 10\n10.001, 10.001')
  await drawer(page).getByRole('button', { name: '画到地图上' }).click()
  await drawer(page).getByRole('button', { name: '保存' }).click()
  await expect(drawer(page).locator('.ant-form-item-explain-error')).toContainText(/围栏在 10\.\d+, 10\.\d+ 附近超出了所属服务区的边界/)
})

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
  if (!(await box.isVisible())) await drawer(page).locator('.fence-coordinates summary').click()
  return box.inputValue()
}

/** Shows and takes coordinates in a datum. */
const inDatum = (page: Page, datum: string) => drawer(page).locator('.fence-coordinates .ant-segmented-item', { hasText: datum }).click()

/** Chooses by the words of a choice; without any, the first of the city's own service areas: other specs make some beside them. */
async function choose(page: Page, label: string, choice?: string): Promise<void> {
  await drawer(page).getByLabel(label, { exact: true }).click()
  const options = page.locator('.ant-select-dropdown:visible .ant-select-item-option')
  await (choice === undefined ? options.filter({ hasText: /服务区$/ }).first() : options.filter({ hasText: choice })).click()
}

async function pickTime(page: Page, label: string, time: string): Promise<void> {
  await drawer(page).getByLabel(label).fill(time)
  await page.keyboard.press('Enter')
}

const numbersOf = (text: string) => text.split(/[\s,]+/).map(Number)

/** Publishes the draft in a row; what is asked then is the caller's to answer. */
async function publish(page: Page, row: Locator): Promise<void> {
  await row.getByRole('button', { name: '发布' }).click()
  await page.getByRole('dialog', { name: /^发布/ }).getByRole('button', { name: /发\s*布/ }).click()
}

test('ROUTE-070 API-072 a parking place is drawn, published, moved and rolled back', async ({ page }) => {
  const name = `测试站 ${Date.now() % 100_000}`
  await page.goto(at('/electronic/parking-fence'))
  await page.getByRole('button', { name: '新增停车区' }).first().click()
  await choose(page, '服务区')
  await drawer(page).getByLabel('名称', { exact: true }).fill(name)
  const map = drawer(page).locator('.map-view')
  await expect(map).toBeVisible()
  await page.waitForTimeout(1000)
  await drawRing(page, map, [
    // No zone of the city lies here.
    [0.5, 0.43],
    [0.58, 0.43],
    [0.58, 0.57],
    [0.5, 0.57],
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
  await publish(page, row)
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
  await page.getByRole('button', { name: '新增围栏' }).first().click()
  await choose(page, '服务区')
  await drawer(page).getByLabel('名称', { exact: true }).fill('出界')
  await expect(drawer(page).locator('.map-view')).toBeVisible()
  await coordinates(page)
  await drawer(page).getByLabel('坐标', { exact: true }).fill('10, 10\n10.001, 10\n10.001, 10.001')
  await drawer(page).getByRole('button', { name: '画到地图上' }).click()
  await drawer(page).getByRole('button', { name: '保存' }).click()
  await expect(drawer(page).locator('.ant-form-item-explain-error')).toContainText(/围栏在 10\.\d+, 10\.\d+ 附近超出了所属服务区的边界/)
})

test('rare fields are kept, a no-ride zone takes coordinates in GCJ-02, and an overlap is asked about', async ({ page }) => {
  const mark = Date.now() % 100_000
  const [station, zone] = [`夜间站 ${mark}`, `步行街 ${mark}`]
  await page.goto(at('/electronic/parking-fence'))
  await page.getByRole('button', { name: '新增停车区' }).first().click()
  await choose(page, '服务区')
  await drawer(page).getByLabel('名称', { exact: true }).fill(station)
  const map = drawer(page).locator('.map-view')
  await expect(map).toBeVisible()
  await page.waitForTimeout(1000)
  await drawRing(page, map, [
    [0.5, 0.62],
    [0.56, 0.62],
    [0.56, 0.7],
    [0.5, 0.7],
  ])
  await expect.poll(() => coordinates(page)).toMatch(/^(\d+\.\d+, \d+\.\d+\n){3}\d+\.\d+, \d+\.\d+$/)
  // Small, and elsewhere in every run: it shall meet nothing but the zone below.
  const [west, north] = numbersOf(await coordinates(page)) as [number, number]
  const corner = (right: number, down: number) => `${(west + (mark % 97) * 1e-5 + right * 1e-4).toFixed(9)}, ${(north - (mark % 89) * 1e-5 - down * 1e-4).toFixed(9)}`
  await drawer(page).getByLabel('坐标', { exact: true }).fill([corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)].join('\n'))
  await drawer(page).getByRole('button', { name: '画到地图上' }).click()
  const drawn = await coordinates(page)
  // The same in the numbers of the other datum, and back.
  await inDatum(page, 'GCJ-02')
  const shifted = await coordinates(page)
  expect(Math.abs(numbersOf(shifted)[0]! - numbersOf(drawn)[0]!)).toBeGreaterThan(0.001)
  await inDatum(page, 'WGS-84')
  expect(await coordinates(page)).toBe(drawn)

  // What few places ask for is folded until somebody wants it.
  await drawer(page).getByText('更多设置').click()
  await drawer(page).getByLabel('停车方向').fill('90')
  await drawer(page).getByRole('switch', { name: '开放时段' }).click()
  await pickTime(page, '开始时间', '22:00')
  await pickTime(page, '结束时间', '06:00')
  await expect(drawer(page).getByText('22:00–次日 06:00')).toBeVisible()
  await drawer(page).getByLabel('难度系数').fill('1.5')
  await drawer(page).getByLabel('射频编号').fill('A-01，编号二,')
  const fault = drawer(page).getByText('「编号二」只能是字母、数字和符号，不能有空格')
  await expect(fault).toBeVisible()
  await page.keyboard.press('Backspace')
  await expect(fault).toHaveCount(0)
  // Folded, they are saved all the same.
  await drawer(page).getByText('更多设置').click()
  await expect(drawer(page).getByLabel('难度系数')).toBeHidden()
  await drawer(page).getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('草稿已保存，发布后生效')).toBeVisible()
  await publish(page, rowOf(page, station))
  await expect(rowOf(page, station)).toContainText('生效中')

  // Opened again, it tells them, and the fields are in sight.
  await rowOf(page, station).getByRole('button', { name: '编辑' }).click()
  const facts = drawer(page).locator('.facts')
  for (const fact of ['90° ±15°', '22:00–次日 06:00', 'A-01']) await expect(facts).toContainText(fact)
  await expect(drawer(page).getByLabel('难度系数')).toHaveValue('1.5')
  await expect(drawer(page).getByLabel('难度系数')).toBeVisible()
  expect(await violationsOf(page)).toEqual([])
  await page.keyboard.press('Escape')

  // A no-ride zone over it, from coordinates of a Chinese map.
  await page.goto(at('/electronic/no-stop-fence'))
  await page.getByRole('button', { name: '新增围栏' }).first().click()
  await choose(page, '类型', '禁行区')
  await choose(page, '服务区')
  await drawer(page).getByLabel('名称', { exact: true }).fill(zone)
  await coordinates(page)
  await inDatum(page, 'GCJ-02')
  await drawer(page).getByLabel('坐标', { exact: true }).fill(shifted)
  await drawer(page).getByRole('button', { name: '画到地图上' }).click()
  await inDatum(page, 'WGS-84')
  const back = numbersOf(await coordinates(page))
  for (const [n, degree] of numbersOf(drawn).entries()) expect(Math.abs(back[n]! - degree)).toBeLessThan(1e-8)
  await drawer(page).getByLabel('违停费用').fill('20.5')
  await drawer(page).getByText('更多设置').click()
  for (const day of ['周六', '周日']) await drawer(page).getByRole('checkbox', { name: day }).uncheck()
  // Of the station; under the mouse it stays.
  await expect(page.getByText('草稿已保存，发布后生效')).toHaveCount(0)
  await drawer(page).getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('草稿已保存，发布后生效')).toBeVisible()
  const row = rowOf(page, zone)
  await expect(row).toContainText('禁行区')
  await expect(row).toContainText('草稿')

  // It would count where one may stop: asked about by name, left alone, then wanted.
  await publish(page, row)
  const question = page.getByRole('dialog', { name: '围栏重叠' })
  await expect(question).toContainText(`停车区「${station}」`)
  await question.getByRole('button', { name: '返回修改' }).click()
  await expect(question).toHaveCount(0)
  await page.getByRole('dialog', { name: /^发布/ }).getByRole('button', { name: /发\s*布/ }).click()
  await question.getByRole('button', { name: '仍然生效' }).click()
  await expect(row).toContainText('生效中')

  // Of the page's types one alone; what its drawer tells has the datum that it was drawn in.
  await page.goto(at('/electronic/no-stop-fence?type=noRide'))
  await row.getByRole('button', { name: '编辑' }).click()
  for (const fact of ['GCJ-02', '20.50 元', '周一、周二、周三、周四、周五']) await expect(facts).toContainText(fact)
  await expect(drawer(page).getByLabel('类型')).toHaveCount(0)
  await page.keyboard.press('Escape')
  await page.goto(at('/electronic/no-stop-fence?type=noStop,custom'))
  await expect(page.locator('tr[data-row-key]').first()).toBeVisible()
  await expect(row).toHaveCount(0)
})

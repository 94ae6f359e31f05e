/** Maintenance areas: drawn with people found by name, published, kept apart, taken away. */
import type { Locator, Page } from '@playwright/test'
import { violationsOf } from './axe'
import { at, badge, expect, masked, myPhone, rowOf, SIGNED_IN, test } from './fixtures'
import { adminKeys, call, newOperator, type Operator } from './wire'

test.use({ storageState: SIGNED_IN })

const PAGE = '/data/area-management'
/** New in every run. */
const mark = Date.now().toString(36).slice(-5)
const [first, second, helper] = [`湖滨片${mark}`, `海边片${mark}`, `周巡检${mark.slice(-3)}`]

const drawer = (page: Page) => page.locator('.ant-drawer-open')
const options = (page: Page) => page.locator('.ant-select-dropdown:visible .ant-select-item-option')

/** Clicks corner after corner of the map's box, by shares of it, and the first one again. */
async function drawRing(page: Page, map: Locator, corners: readonly (readonly [number, number])[]): Promise<void> {
  const box = await map.boundingBox()
  if (box === null) throw new Error('no map')
  for (const [x, y] of [...corners, corners[0]!]) {
    const [left, top] = [box.x + box.width * x, box.y + box.height * y]
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

async function type(page: Page, corners: string): Promise<void> {
  await coordinates(page)
  await drawer(page).getByLabel('坐标', { exact: true }).fill(corners)
  await drawer(page).getByRole('button', { name: '画到地图上' }).click()
}

/** Chooses somebody by his phone or name. */
async function choose(page: Page, post: string, keyword: string, shown: string): Promise<void> {
  const box = drawer(page).getByLabel(new RegExp(`^${post}`))
  await box.click()
  await box.fill(keyword)
  await options(page).filter({ hasText: shown }).click()
  await page.keyboard.press('Escape')
}

/** Begins one in a service area that the demo city has drawn none in. */
async function begin(page: Page, name: string): Promise<void> {
  await page.goto(at(PAGE))
  const taken = (await rowOf(page, '西片').getByRole('cell').nth(2).innerText()).trim()
  await page.getByRole('button', { name: '新增运维区' }).first().click()
  await drawer(page).getByLabel('服务区').click()
  await options(page).filter({ hasText: /服务区$/, hasNotText: taken }).first().click()
  await drawer(page).getByLabel('名称', { exact: true }).fill(name)
  await expect(drawer(page).locator('.fence-draw-map .map-view')).toBeVisible()
}

const save = (page: Page) => drawer(page).getByRole('button', { name: '保存' }).click()

test.describe.serial('maintenance areas', () => {
  let edge = ''
  let person: Operator

  test('the demo city has two, with their stations and bikes', async ({ page }) => {
    await page.goto(at(PAGE))
    await expect(page.getByRole('heading', { name: '区域管理' })).toBeVisible()
    await expect(badge(page)).toHaveText('实时')
    for (const name of ['西片', '东片']) {
      await expect(rowOf(page, name)).toContainText('生效中')
      const cell = (n: number) => rowOf(page, name).getByRole('cell').nth(n)
      expect(Number(await cell(8).innerText()), `stations of ${name}`).toBeGreaterThan(0)
      expect(Number((await cell(9).innerText()).replaceAll(',', '')), `bikes of ${name}`).toBeGreaterThan(0)
    }
  })

  test('ROUTE-032 one is drawn with its people, published, and counts its stations', async ({ page, request }) => {
    person = await newOperator(request, helper, ['0908'])
    await begin(page, first)
    await page.waitForTimeout(1000)
    await drawRing(page, drawer(page).locator('.fence-draw-map .map-view'), [
      [0.42, 0.4],
      [0.58, 0.4],
      [0.58, 0.58],
      [0.42, 0.58],
    ])
    await expect.poll(() => coordinates(page)).toMatch(/^(\d+\.\d+, \d+\.\d+\n){3}\d+\.\d+, \d+\.\d+$/)
    edge = await coordinates(page)
    await save(page)
    await expect(drawer(page).getByText('请至少选择一名负责人')).toBeVisible()
    await choose(page, '负责人', myPhone(), masked(myPhone()))
    await choose(page, '巡检员', helper, helper)
    await drawer(page).getByLabel(/^换电时限/).fill('4')
    await save(page)
    await expect(page.getByText('运维区已保存，边界发布后生效')).toBeVisible()
    const row = rowOf(page, first)
    await expect(row).toContainText('草稿')
    await expect(row).toContainText('换电 4 · 挪车 24 · 维修 24 小时')
    await row.getByRole('button', { name: '发布' }).click()
    await page.getByRole('dialog', { name: /^发布运维区/ }).getByRole('button', { name: /发\s*布/ }).click()
    await expect(row).toContainText('生效中')
    expect(Number(await row.getByRole('cell').nth(8).innerText())).toBeGreaterThan(0)
  })

  test('another one must not lie over it, and may lie beside it', async ({ page }) => {
    await begin(page, second)
    await choose(page, '负责人', myPhone(), masked(myPhone()))
    const corners = edge.split('\n').map((line) => line.split(', ').map(Number) as [number, number])
    const [lngs, lats] = [corners.map(([lng]) => lng), corners.map(([, lat]) => lat)]
    const [west, east, south, north] = [Math.min(...lngs), Math.max(...lngs), Math.min(...lats), Math.max(...lats)]
    const box = (from: number, until: number) => [`${from}, ${south}`, `${until}, ${south}`, `${until}, ${north}`, `${from}, ${north}`].join('\n')
    const width = (east - west) / 8
    await type(page, box(east - width, east + width))
    await save(page)
    await expect(drawer(page).locator('.ant-form-item-explain-error')).toContainText(new RegExp(`与运维区「${first}」在 \\d+\\.\\d+, \\d+\\.\\d+ 附近重叠`))
    await type(page, box(east, east + width))
    await save(page)
    await expect(rowOf(page, second)).toContainText('草稿')
  })

  test('who is disabled stays, is called so, and the drawer warns', async ({ page, request }) => {
    const disabled = await call(request, adminKeys(), 'POST', '/platform/permission/user/state', { phone: person.phone, state: 0 })
    expect(disabled.suc, JSON.stringify(disabled)).toBe(true)
    await page.goto(at(PAGE))
    await rowOf(page, first).click()
    await expect(drawer(page).getByRole('alert').filter({ hasText: `${helper} 的账号已停用或删除` })).toBeVisible()
    await expect(drawer(page).locator('.facts')).toContainText(`${helper}（已停用）`)
    expect(await violationsOf(page)).toEqual([])
    // The edge stays as it is: its people change without a new version.
    await drawer(page).getByLabel(/^停放上限/).fill('200')
    await save(page)
    await expect(page.getByText('运维区已保存')).toBeVisible()
    await expect(drawer(page).locator('.facts')).toContainText('200 辆')
    await drawer(page).getByRole('tab', { name: '版本' }).click()
    await expect(drawer(page).getByRole('listitem', { name: /^第 \d+ 版$/ })).toHaveCount(1)
    await drawer(page).getByRole('tab', { name: '人员记录' }).click()
    await expect(drawer(page).getByText('安排运维区人员').first()).toBeVisible()
  })

  test('somebody finds his areas, and one is taken away', async ({ page }) => {
    await page.goto(at(PAGE))
    const box = page.getByRole('search').getByLabel('人员')
    await box.click()
    await box.fill(myPhone())
    await options(page).filter({ hasText: masked(myPhone()) }).click()
    await expect(rowOf(page, first)).toBeVisible()
    await rowOf(page, second).getByRole('button', { name: '更多' }).click()
    await page.getByRole('menuitem', { name: '删除' }).click()
    await page.getByRole('dialog', { name: /删除运维区/ }).getByRole('button', { name: /删除/ }).click()
    await expect(rowOf(page, second)).toHaveCount(0)
    await expect(rowOf(page, first)).toBeVisible()
  })
})

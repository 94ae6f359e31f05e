/** Views of the operation map and hand-over notes, between two people. */
import type { APIRequestContext, Browser, BrowserContext, Page } from '@playwright/test'
import { violationsOf } from './axe'
import { at, badge, expect, hashOf, SIGNED_IN, test } from './fixtures'
import { cityBike } from './keeping'
import { enterByLink, newOperator } from './wire'

test.use({ storageState: SIGNED_IN })

async function openMap(page: Page, query = ''): Promise<void> {
  await page.goto(at(`/vehicle/operation-map${query}`))
  await expect(page.getByRole('region', { name: '运营地图' })).toBeVisible()
  await expect(badge(page)).toHaveText('实时')
}

/** The map of somebody else who may see it and nothing more. */
async function colleague(browser: Browser, request: APIRequestContext, clean: (context: BrowserContext) => void): Promise<Page> {
  const { phone } = await newOperator(request, '接班调度', ['03', '0301'])
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] }, viewport: { width: 1366, height: 768 } })
  clean(context)
  const page = await context.newPage()
  await enterByLink(page, request, phone)
  await openMap(page)
  return page
}

const tool = (page: Page, name: string | RegExp) => page.getByRole('toolbar', { name: '地图工具' }).getByRole('button', { name })
const filters = (page: Page) => page.getByRole('region', { name: '更多筛选' })
const menu = (page: Page) => page.getByRole('group', { name: '视图列表' })
const place = (page: Page) => page.evaluate(() => localStorage.getItem('map-view'))
let named = 0
const newName = (what: string) => `${what}${String(Date.now() % 10_000_000)}${++named}`

test('a view that is shared shows a colleague the same filters, layers and place; a private one is not his', async ({ page, browser, request, clean }) => {
  const [shared, own] = [newName('低电'), newName('自己')]
  const bike = await cityBike(request)
  await openMap(page, `?f=rentable,low_battery&soc=0-90&area=${bike.areaId}`)
  await expect(filters(page).getByRole('listitem')).toHaveCount(2)
  await tool(page, '站点水位').click()
  await tool(page, '放大').click()
  await expect.poll(() => place(page)).not.toBeNull()

  // It is stored under a name, which is due.
  await tool(page, '视图').click()
  await menu(page).getByRole('button', { name: '保存当前视图' }).click()
  const question = page.getByRole('dialog', { name: '保存当前视图' })
  expect(await violationsOf(page)).toEqual([])
  await question.getByRole('button', { name: /保\s*存/ }).click()
  await expect(question.getByText('请输入名称')).toBeVisible()
  await question.getByLabel('名称').fill(shared)
  await question.getByText('共享', { exact: true }).click()
  await question.getByRole('button', { name: /保\s*存/ }).click()
  await expect(page.getByText('视图已保存')).toBeVisible()
  await expect(question).toHaveCount(0)
  const stored = await place(page)

  // The same name is taken; another one is for oneself alone.
  await tool(page, '视图').click()
  await menu(page).getByRole('button', { name: '保存当前视图' }).click()
  await question.getByLabel('名称').fill(shared)
  await question.getByRole('button', { name: /保\s*存/ }).click()
  await expect(question.getByText(/已被使用/)).toBeVisible()
  await question.getByLabel('名称').fill(own)
  await question.getByRole('button', { name: /保\s*存/ }).click()
  await expect(question).toHaveCount(0)
  await tool(page, '视图').click()
  await expect(menu(page).getByRole('list', { name: '我的视图' })).toContainText(own)
  await expect(menu(page).getByRole('button', { name: '保存当前视图' })).toBeFocused()
  expect(await violationsOf(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(menu(page)).toHaveCount(0)
  await expect(tool(page, '视图')).toBeFocused()

  const other = await colleague(browser, request, clean)
  await tool(other, '视图').click()
  const theirs = menu(other).getByRole('list', { name: '同事共享' })
  await expect(theirs).toContainText(shared)
  await expect(menu(other)).not.toContainText(own)
  await expect(theirs.getByRole('button', { name: `删除「${shared}」` })).toHaveCount(0)
  await theirs.getByRole('button', { name: shared, exact: true }).click()
  await expect(filters(other).getByRole('listitem')).toHaveCount(2)
  await expect(filters(other)).toContainText(`服务区：${bike.areaName}`)
  await expect(tool(other, '站点水位')).toHaveAttribute('aria-pressed', 'true')
  expect(hashOf(other)).toContain('f=rentable,low_battery')
  await expect.poll(() => place(other)).toBe(stored)

  // It is given other filters and another name here, and opens so there; then it is gone. The server answers late: when the menu has
  // closed, and then when it is open again, which offers nothing of an older version meanwhile.
  const late = '**/vehicle/map-view*'
  await page.route(late, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 700))
    await route.continue()
  })
  await filters(page).getByRole('button', { name: '清除' }).click()
  await tool(page, '视图').click()
  await menu(page).getByRole('button', { name: `用当前状态更新「${shared}」` }).click()
  await page.getByRole('dialog').getByRole('button', { name: '更新视图' }).click()
  await expect(page.getByText('视图已更新为当前状态')).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  const renamed = newName('改名')
  if (!(await menu(page).isVisible())) await tool(page, '视图').click()
  await menu(page).getByRole('button', { name: `修改「${shared}」的名称和可见范围` }).click()
  const form = page.getByRole('dialog', { name: `修改视图「${shared}」` })
  await form.getByLabel('名称').fill(renamed)
  await form.getByRole('button', { name: /保\s*存/ }).click()
  await expect(form).toHaveCount(0)
  await page.unroute(late)
  await tool(other, '视图').click()
  await theirs.getByRole('button', { name: renamed, exact: true }).click()
  await expect(filters(other).getByRole('listitem')).toHaveCount(0)
  for (const name of [renamed, own]) {
    if (!(await menu(page).isVisible())) await tool(page, '视图').click()
    await menu(page).getByRole('button', { name: `删除「${name}」` }).click()
    await page.getByRole('dialog').getByRole('button', { name: '删除视图' }).click()
    await expect(page.getByText('视图已删除').last()).toBeVisible()
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }
  await tool(other, '视图').click()
  await expect(menu(other)).toBeVisible()
  await expect(menu(other)).not.toContainText(renamed)
  await other.context().close()
})

test('a note that is written here is told of there, leads to its bike, is acknowledged there and seen so here', async ({ page, browser, request, clean }) => {
  const { carId } = await cityBike(request)
  const words = newName('东门淤积，明早调车')
  await openMap(page)
  await tool(page, /^交接班/).click()
  const here = page.getByRole('complementary', { name: '交接班' })
  await here.getByRole('button', { name: '写交接班记录' }).click()
  await here.getByRole('textbox', { name: '交接内容' }).fill(words)
  expect(await violationsOf(page)).toEqual([])
  const bikes = here.getByRole('combobox', { name: '涉及车辆' })
  await bikes.fill('NOBIKE-1')
  await bikes.press('Enter')
  await expect(here.getByTitle('NOBIKE-1', { exact: true })).toBeVisible()
  await here.getByRole('button', { name: /写\s*下/ }).click()
  await expect(here.getByText(/车辆“NOBIKE-1”不存在/)).toBeVisible()
  const wrong = here.getByTitle('NOBIKE-1', { exact: true })
  await expect(async () => {
    await bikes.press('Backspace')
    await expect(wrong).toHaveCount(0, { timeout: 1000 })
  }).toPass()
  await bikes.fill(carId)
  await bikes.press('Enter')
  await here.getByRole('button', { name: /写\s*下/ }).click()
  const mine = here.getByRole('list', { name: '交接班记录' }).getByRole('listitem').filter({ hasText: words })
  await expect(mine).toContainText('等待接班人员知悉')
  await expect(mine.getByRole('button', { name: '知悉' })).toHaveCount(0)

  const other = await colleague(browser, request, clean)
  await tool(other, /交接班：\d+ 条未知悉/).click()
  const there = other.getByRole('complementary', { name: '交接班' })
  const theirs = there.getByRole('list', { name: '交接班记录' }).getByRole('listitem').filter({ hasText: words })
  await expect(theirs).toBeVisible()
  expect(await violationsOf(other)).toEqual([])
  await theirs.getByRole('button', { name: `在地图上看 ${carId}` }).click()
  await expect(other.getByRole('complementary', { name: `车辆 ${carId}` })).toBeVisible()
  await other.keyboard.press('Escape')
  await theirs.getByRole('button', { name: '知悉' }).click()
  await expect(theirs).toContainText('接班调度')
  await expect(theirs.getByRole('button', { name: '知悉' })).toHaveCount(0)

  // It shows here without being asked for, and cannot be taken back any more.
  await expect(mine).toContainText(/接班调度.*知悉/)
  await expect(mine.getByRole('button', { name: '撤回' })).toHaveCount(0)
  const download = page.waitForEvent('download')
  await here.getByRole('button', { name: '导出交接班记录' }).click()
  expect((await download).suggestedFilename()).toMatch(/^交接班记录.*\.csv$/)
  await other.context().close()
})

test('a note is taken back while nobody has read it', async ({ page }) => {
  const words = newName('写错了')
  await openMap(page)
  await tool(page, /^交接班/).click()
  const drawer = page.getByRole('complementary', { name: '交接班' })
  await drawer.getByRole('button', { name: '写交接班记录' }).click()
  await drawer.getByRole('textbox', { name: '交接内容' }).fill(words)
  await drawer.getByRole('button', { name: /写\s*下/ }).click()
  const note = drawer.getByRole('listitem').filter({ hasText: words })
  await note.getByRole('button', { name: /撤\s*回/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: '撤回记录' }).click()
  await expect(page.getByText('记录已撤回')).toBeVisible()
  await expect(note).toHaveCount(0)
})

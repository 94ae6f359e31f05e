/** What every list does alike, seen on one of them. */
import type { Locator, Page } from '@playwright/test'
import { adminPhone, at, expect, hashOf, masked, myPhone, rowOf, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

/** A row that stays while other workers add people and take them away. */
const me = (page: Page) => rowOf(page, masked(myPhone()))

/** Scrolls so far that the table's head, were it not to stay, would lie 8 px above the place where it is to stay. */
async function scrollPastHead(page: Page, staysAt_px = 0): Promise<void> {
  const width = page.viewportSize()?.width ?? 1366
  // So low a window that the shortest list has to scroll.
  await page.setViewportSize({ width, height: 200 })
  await page.locator('#content').evaluate((content, staysAt) => {
    const head = content.querySelector('.ant-table-header')
    if (head) content.scrollTop += head.getBoundingClientRect().top - content.getBoundingClientRect().top - staysAt + 8
  }, staysAt_px)
}

async function edges(element: Locator): Promise<{ top: number; bottom: number }> {
  const box = await element.boundingBox()
  if (box === null) throw new Error('not on the page')
  return { top: box.y, bottom: box.y + box.height }
}

test("a table's head stays at the very top of what scrolls", async ({ page }) => {
  await page.goto(at('/operation/operator-log'))
  await expect(page.getByRole('row').nth(1)).toBeVisible()
  const head = page.locator('.ant-table-header')
  const before = await edges(head)
  await scrollPastHead(page)
  const content = await edges(page.locator('#content'))
  expect(before.top).toBeGreaterThan(content.top)
  await expect.poll(async () => (await edges(head)).top).toBeCloseTo(content.top, 0)
})

test('the bar of marked rows stays in sight, with the head right below it', async ({ page }) => {
  await page.goto(at('/permissions/user'))
  await me(page).getByRole('checkbox').check()
  const bar = page.getByRole('region', { name: '批量操作' })
  await expect(bar).toBeVisible()
  const { top, bottom } = await edges(bar)
  await scrollPastHead(page, bottom - top)
  const content = await edges(page.locator('#content'))
  await expect.poll(async () => (await edges(bar)).top).toBeCloseTo(content.top, 0)
  await expect.poll(async () => (await edges(page.locator('.ant-table-header'))).top).toBeCloseTo((await edges(bar)).bottom, 0)
})

test('back closes the drawer and then leaves the page; a closed drawer leaves no entry behind', async ({ page }) => {
  await page.goto(at('/permissions/role'))
  await expect(page).toHaveTitle(/^角色列表 · .+/)
  await page.goto(at('/permissions/user'))
  await expect(page.getByRole('heading', { name: '人员列表' })).toBeVisible()
  await expect(page).toHaveTitle(/^人员列表 · .+/)
  const drawer = page.getByRole('dialog')
  const row = me(page)
  await row.getByRole('cell').nth(1).click()
  await expect(drawer).toBeVisible()
  expect(hashOf(page)).toContain('/permissions/user?open=')
  await page.goBack()
  await expect(drawer).toBeHidden()
  expect(hashOf(page)).toBe('/permissions/user')
  await row.getByRole('cell').nth(1).click()
  await expect(drawer).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()
  await expect(row).toBeFocused()
  await expect.poll(() => hashOf(page)).toBe('/permissions/user')
  await page.goBack()
  await expect.poll(() => hashOf(page)).toBe('/permissions/role')
})

test('there is one box to mark all rows, and the ring of a row is not cut', async ({ page }) => {
  await page.goto(at('/permissions/user'))
  const row = me(page)
  await expect(row).toBeVisible()
  await expect(page.locator('.ant-table-measure-row input')).toBeHidden()
  await page.getByRole('checkbox', { name: '全选本页' }).focus()
  // By keyboard, so that the ring is drawn.
  await page.keyboard.press('Tab')
  await row.focus()
  await expect(row).toBeFocused()
  const rings = await row.getByRole('cell').evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell).boxShadow))
  expect(rings.length).toBeGreaterThan(1)
  for (const ring of rings) expect(ring).toContain('inset')
})

test('a field with an error comes into sight with its label; a phone that somebody has is refused at its field', async ({ page }) => {
  await page.setViewportSize({ width: 1366, height: 560 })
  await page.goto(at('/permissions/user'))
  await page.getByRole('button', { name: '新增人员' }).click()
  const drawer = page.getByRole('dialog')
  const body = drawer.locator('.ant-drawer-body')
  const label = drawer.getByText('手机号', { exact: true })
  const inSight = async () => (await edges(label)).top >= (await edges(body)).top
  await drawer.getByLabel('姓名').fill('重复号码')
  await body.evaluate((element) => {
    element.scrollTop = element.scrollHeight
  })
  expect(await inSight()).toBe(false)
  await drawer.getByRole('button', { name: '保存' }).click()
  await expect(drawer.getByText('请输入手机号')).toBeVisible()
  await expect.poll(inSight).toBe(true)

  await drawer.getByLabel('手机号').fill(adminPhone())
  await drawer.getByText('全部代理商', { exact: true }).click()
  await body.evaluate((element) => {
    element.scrollTop = element.scrollHeight
  })
  await drawer.getByRole('button', { name: '保存' }).click()
  await expect(drawer.locator('.ant-form-item-explain-error')).toContainText('已被使用')
  await expect(drawer.getByLabel('手机号')).toBeFocused()
  await expect.poll(inSight).toBe(true)
  await expect(page.locator('.ant-message-error')).toHaveCount(0)
})

test('on a phone the filters leave the log its place, and what an act was about is whole', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(at('/operation/operator-log'))
  // A phone begins with the menu over the page.
  await page.getByRole('menuitem', { name: '操作人员日志' }).click()
  const row = page.getByRole('search')
  await expect(row).toBeVisible()
  const { top, bottom } = await edges(row)
  expect(bottom - top).toBeLessThan(844 / 4)
  await expect(page.getByLabel('操作人', { exact: true })).toHaveCount(0)
  await row.getByRole('button', { name: '更多筛选' }).click()
  await expect(page.getByLabel('操作人', { exact: true })).toBeVisible()
  const detail = page.locator('.log-detail').first()
  const { clipped, cut } = await detail.evaluate((text) => {
    const cell = text.closest('td')
    return { clipped: (cell?.scrollWidth ?? 1) > (cell?.clientWidth ?? 0), cut: cell?.classList.contains('ant-table-cell-ellipsis') }
  })
  expect([clipped, cut]).toEqual([false, false])
})

test('the page of all parts is of the development build alone', async ({ page }) => {
  await page.goto(at('/kit-gallery'))
  await expect.poll(() => hashOf(page)).toBe('/404')
})

test('filters are saved under a name, and apply after a reload', async ({ page }) => {
  await page.goto(at('/permissions/user?state=1'))
  const menu = page.getByRole('button', { name: '常用筛选' })
  await menu.click()
  await page.getByLabel('名称', { exact: true }).fill('在用的')
  await page.getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('已保存「在用的」')).toBeVisible()
  await page.goto(at('/permissions/user'))
  await page.reload()
  await menu.click()
  await page.getByRole('button', { name: '在用的', exact: true }).click()
  await expect.poll(() => hashOf(page)).toBe('/permissions/user?state=1')
  await menu.click()
  await page.getByRole('button', { name: '删除 在用的' }).click()
  await expect(page.getByText('还没有保存的筛选')).toBeVisible()
})

test('an export goes on when the page changes, the tray counts it, and cancelling it ends its request', async ({ page }) => {
  const gates: (() => void)[] = []
  await page.route(/\/permission\/role\/export/, async (route) => {
    await new Promise<void>((open) => gates.push(open))
    // The second one is gone by then.
    await route.continue().catch(() => undefined)
  })
  await page.goto(at('/permissions/role'))
  await page.getByRole('button', { name: '导出', exact: true }).click()
  const tray = page.getByRole('button', { name: '任务：1 个进行中' })
  await expect(tray).toBeVisible()
  await expect(page.getByRole('button', { name: '正在导出' })).toBeVisible()
  await page.goto(at('/permissions/user'))
  await expect(page.getByRole('heading', { name: '人员列表' })).toBeVisible()
  await tray.press('Enter')
  const panel = page.getByRole('dialog')
  await expect(panel.getByRole('listitem')).toContainText('导出「角色列表」')
  const download = page.waitForEvent('download')
  gates[0]?.()
  expect((await download).suggestedFilename()).toMatch(/\.csv$/)
  await expect(panel.getByText(/^已导出 \d+ 条$/)).toBeVisible()
  await panel.getByRole('button', { name: '清除已完成' }).click()
  await expect(panel.getByText(/^没有任务/)).toBeVisible()
  await page.keyboard.press('Escape')

  await page.goto(at('/permissions/role'))
  await page.getByRole('button', { name: '导出', exact: true }).click()
  await tray.click()
  const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/permission/role/export'))
  await panel.getByRole('button', { name: '取消 导出「角色列表」' }).click()
  await ended
  await expect(panel.getByText('已取消')).toBeVisible()
  gates[1]?.()
})

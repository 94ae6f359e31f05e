/** What every list does alike, seen on one of them. */
import type { Locator, Page } from '@playwright/test'
import { at, expect, hashOf, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

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
  await page.getByRole('row').nth(1).getByRole('checkbox').check()
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
  await page.goto(at('/permissions/user'))
  await expect(page.getByRole('heading', { name: '人员列表' })).toBeVisible()
  const drawer = page.getByRole('dialog')
  const row = page.getByRole('row').nth(1)
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
  const row = page.getByRole('row').nth(1)
  await expect(row).toBeVisible()
  await expect(page.locator('.ant-table-measure-row input')).toBeHidden()
  await page.getByRole('checkbox', { name: '全选本页' }).focus()
  await page.keyboard.press('Tab')
  await expect(row).toBeFocused()
  const rings = await row.getByRole('cell').evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell).boxShadow))
  expect(rings.length).toBeGreaterThan(1)
  for (const ring of rings) expect(ring).toContain('inset')
})

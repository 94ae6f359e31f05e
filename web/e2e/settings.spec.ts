import type { Locator, Page } from '@playwright/test'
import { at, expect, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

/** Another client: the same server, whose web configuration says other things. */
async function asClient(page: Page, differs: Record<string, unknown>): Promise<void> {
  await page.route('**/web/config?*', async (route) => {
    const response = await route.fetch()
    const answer = (await response.json()) as { data: Record<string, unknown> }
    await route.fulfill({ response, json: { ...answer, data: { ...answer.data, ...differs } } })
  })
}

const drawer = (page: Page) => page.getByRole('dialog', { name: '页面设置' })

async function openDrawer(page: Page, path = '/log'): Promise<Locator> {
  await asClient(page, { settingDrawer: true })
  await page.goto(at(path))
  await page.getByRole('button', { name: '页面设置' }).click()
  await expect(drawer(page)).toBeVisible()
  return drawer(page)
}

const background = (locator: Locator) => locator.evaluate((element) => getComputedStyle(element).backgroundColor)
const onOff = (page: Page, name: string) => drawer(page).getByRole('switch', { name })
const choose = (page: Page, name: string) => drawer(page).getByText(name, { exact: true }).click()
/** The list of pages, with so much above it that there is something to scroll. */
async function tall(page: Page): Promise<void> {
  await page.addStyleTag({ content: '.home { min-height: 2400px }' })
}
const wheel = async (page: Page, px: number) => {
  await page.mouse.move(700, 500)
  await page.mouse.wheel(0, px)
}
const top = (locator: Locator) => locator.evaluate((element) => Math.round(element.getBoundingClientRect().top))

test('SET-001 AMB-073 there is no drawer where the web configuration does not say so', async ({ page }) => {
  await asClient(page, { settingDrawer: false })
  await page.goto(at('/log'))
  await expect(page.getByRole('banner')).toBeVisible()
  await expect(page.getByRole('button', { name: '页面设置' })).toHaveCount(0)
})

test('FRAME-004 SET-002 SET-003 SET-015 SET-016 menu theme and accent hold at once and after a reload', async ({ page }) => {
  await openDrawer(page)
  const menu = page.locator('.sider')
  expect(await background(menu)).toBe('rgb(16, 29, 46)')
  const primary = () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent'))
  expect(await primary()).toBe('#1890FF')
  await choose(page, '亮色')
  await expect.poll(() => background(menu)).toBe('rgb(255, 255, 255)')
  const swatches = drawer(page).getByRole('group', { name: '主题色' }).getByRole('button')
  await expect(swatches).toHaveCount(8)
  const copy = drawer(page).getByRole('button', { name: '拷贝设置' })
  const before = await background(copy)
  await swatches.nth(7).click()
  await expect(swatches.nth(7)).toHaveAttribute('aria-pressed', 'true')
  await expect.poll(() => background(copy)).not.toBe(before)
  await page.reload()
  await expect.poll(() => background(menu)).toBe('rgb(255, 255, 255)')
  expect(await primary()).toBe('#722ED1')
})

test('FRAME-001 SET-004 SET-005 SET-006 SET-011 SET-017 SET-018 the menu moves to the top, where the width can be chosen', async ({ page }) => {
  await page.setViewportSize({ width: 1920, height: 1080 })
  await openDrawer(page)
  const width = drawer(page).getByRole('radiogroup', { name: '内容宽度' })
  await expect(width.getByRole('radio', { name: '流式' })).toBeDisabled()
  await expect(width.getByRole('radio', { name: '定宽' })).toBeChecked()
  await expect(page.locator('.sider')).toBeVisible()

  await choose(page, '顶部菜单')
  await expect(page.locator('.sider')).toHaveCount(0)
  await expect(page.locator('.top-menu')).toBeVisible()
  await expect(onOff(page, '固定侧边菜单')).toBeDisabled()
  const content = () => page.locator('.home').evaluate((element) => element.clientWidth)
  expect(await content()).toBe(1200)
  await choose(page, '流式')
  await expect.poll(content).toBe(1872)

  await choose(page, '侧边菜单')
  await expect(page.locator('.sider')).toBeVisible()
  await expect(width.getByRole('radio', { name: '定宽' })).toBeChecked()
  await expect(onOff(page, '固定侧边菜单')).not.toBeChecked()
})

test('SET-007 SET-010 SET-019 SET-020 header and menu stay while they are fixed, and scroll away when not', async ({ page }) => {
  await openDrawer(page)
  await page.keyboard.press('Escape')
  await tall(page)
  const header = page.getByRole('banner')
  const menu = page.locator('.sider .ant-menu').first()
  await wheel(page, 600)
  await expect.poll(() => top(page.locator('.home'))).toBeLessThan(0)
  expect([await top(header), await top(menu)]).toEqual([0, 48])

  await page.getByRole('button', { name: '页面设置' }).click()
  await onOff(page, '固定侧边菜单').click()
  await page.keyboard.press('Escape')
  await wheel(page, 600)
  await expect.poll(() => top(menu)).toBeLessThan(0)
  expect(await top(header)).toBe(0)

  await page.getByRole('button', { name: '页面设置' }).click()
  await onOff(page, '固定顶栏').click()
  await expect(onOff(page, '下滑时隐藏顶栏')).toBeDisabled()
  await page.keyboard.press('Escape')
  await wheel(page, 600)
  await expect.poll(() => top(header)).toBeLessThan(-48)
})

test('SET-008 SET-009 SET-021 CONST-011 the header goes after 100 px of scroll and comes back on the way up', async ({ page }) => {
  await openDrawer(page)
  await expect(onOff(page, '下滑时隐藏顶栏')).not.toBeChecked()
  await onOff(page, '下滑时隐藏顶栏').click()
  await page.keyboard.press('Escape')
  await tall(page)
  const header = page.getByRole('banner')
  await page.locator('#content').focus()
  // Each is seen by the page: two within a frame would be one.
  const scroll = (px: number) =>
    page.locator('#content').evaluate((element, y) => {
      element.scrollTo(0, y)
      return new Promise<void>((seen) => requestAnimationFrame(() => requestAnimationFrame(() => seen())))
    }, px)
  await scroll(90)
  await page.waitForTimeout(300)
  expect(await top(header)).toBe(0)
  await scroll(110)
  await expect.poll(() => top(header)).toBe(-48)
  await scroll(600)
  await scroll(500)
  await expect.poll(() => top(header)).toBe(0)
  await scroll(700)
  await expect.poll(() => top(header)).toBe(-48)
  // Who walks into it with the keys has it back.
  await page.keyboard.press('Shift')
  await page.getByRole('button', { name: '页面设置' }).focus()
  await expect.poll(() => top(header)).toBe(0)
})

test('SET-012 SET-013 SET-022 SET-023 colour-weak mode and tabs are switches', async ({ page }) => {
  await openDrawer(page)
  await expect(page.locator('body')).not.toHaveClass(/colorWeak/)
  await onOff(page, '色弱模式').click()
  await expect(page.locator('body')).toHaveClass(/colorWeak/)
  await expect(page.getByRole('tablist', { name: '已打开的页面' })).toHaveCount(0)
  await onOff(page, '多标签模式').click()
  await expect(page.getByRole('tablist', { name: '已打开的页面' })).toBeVisible()
  await onOff(page, '色弱模式').click()
  await expect(page.locator('body')).not.toHaveClass(/colorWeak/)
  await drawer(page).getByRole('button', { name: '恢复默认' }).click()
  await expect(page.getByRole('tablist', { name: '已打开的页面' })).toHaveCount(0)
})

test.describe('copying', () => {
  test('SET-014 ERR-034 puts the settings into the clipboard', async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await openDrawer(page)
    await choose(page, '亮色')
    await drawer(page).getByRole('button', { name: '拷贝设置' }).click()
    await expect(page.getByText('复制完毕')).toBeVisible()
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as Record<string, unknown>
    expect(copied).toMatchObject({ primaryColor: '#1890FF', navTheme: 'light', layout: 'sidemenu', multiTab: false })
  })

  test('SET-014 works without the clipboard of secure pages too', async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.addInitScript(() => {
      const clipboard = navigator.clipboard
      Object.assign(window, { readCopied: () => clipboard.readText() })
      Object.defineProperty(navigator, 'clipboard', { value: undefined })
    })
    await openDrawer(page)
    await drawer(page).getByRole('button', { name: '拷贝设置' }).click()
    await expect(page.getByText('复制完毕')).toBeVisible()
    expect(await page.evaluate('window.readCopied()')).toContain('"navTheme": "dark"')
  })

  test('ERR-035 a refused copy is said', async ({ page }) => {
    await page.addInitScript(() => {
      Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject(new Error('denied')) } })
    })
    await openDrawer(page)
    await drawer(page).getByRole('button', { name: '拷贝设置' }).click()
    await expect(page.getByText('复制失败')).toBeVisible()
  })
})

test('ERR-036 AMB-078 a colour that is none is said, and the theme before stays', async ({ page }) => {
  await asClient(page, { settings: { primaryColor: 'javascript' } })
  await page.goto(at('/log'))
  await expect(page.getByText('主题编译失败')).toBeVisible()
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent'))).toBe('#1890FF')
})

test('CONST-024 what the drawer keeps has one prefix', async ({ page }) => {
  const keys = () => page.evaluate(() => Object.keys(localStorage))
  await openDrawer(page)
  const before = await keys()
  await choose(page, '顶部菜单')
  await onOff(page, '色弱模式').click()
  const fresh = (await keys()).filter((key) => !before.includes(key))
  expect(fresh.toSorted()).toEqual(['ebike_ops__colorWeak', 'ebike_ops__contentWidth', 'ebike_ops__fixSiderbar', 'ebike_ops__layout'])
})

test('on a phone the drawer opens from the foot of the menu', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await openDrawer(page)
  const box = await drawer(page).boundingBox()
  expect(box?.width).toBeLessThanOrEqual(390)
  expect(box?.x).toBeGreaterThanOrEqual(0)
  await page.keyboard.press('Escape')
  await expect(drawer(page)).toBeHidden()
})

/** What a page says and shows when something is missing: the network, the session, the page itself. */
import type { Page } from '@playwright/test'
import { violationsOf } from './axe'
import { administratorRole, at, badge, expect, hashOf, masked, myPhone, rowOf, SIGNED_IN, test } from './fixtures'
import { settled } from './built'
import { adminKeys, call, enterByLink, newOperator } from './wire'

test.use({ storageState: SIGNED_IN })

/** Goes there as a link does, without loading the application anew. */
const visit = (page: Page, path: string) => page.evaluate((hash) => void (window.location.hash = hash), path)

test.describe('without a network', () => {
  // What a browser has loaded once it need not load again.
  test.use({ allowed: [/ChunkLoadError|Failed to load resource|^WebSocket |net::ERR_/], apart: true })

  test('重试 after a chunk that failed brings the page with its styles', async ({ page, context }) => {
    await page.goto(at('/log'))
    // All of this page is there before the network goes.
    await settled(page)
    await expect(page.getByRole('heading', { name: '复核' })).toBeVisible()
    await context.setOffline(true)
    await visit(page, '/operation/operator-log')
    await expect(page.getByText('页面加载失败，请重试')).toBeVisible()
    await context.setOffline(false)
    // The network may come back a moment after it was told to.
    await expect(async () => {
      await page.getByRole('button', { name: '重试' }).click()
      await expect(page.getByRole('heading', { name: '操作人员日志' })).toBeVisible({ timeout: 3000 })
    }).toPass()
    const styles = await page.evaluate(() => [...document.styleSheets].filter((sheet) => sheet.cssRules.length > 0).map(({ href }) => href ?? ''))
    expect(styles.filter((href) => href.includes('/audit-'))).toHaveLength(1)
  })

  test('ERR-007 a list says so and offers 重试, and rows from before lose their colour', async ({ page, context }) => {
    await page.goto(at('/permissions/role'))
    await expect(administratorRole(page)).toBeVisible()
    await context.setOffline(true)
    await page.getByRole('button', { name: '刷新' }).click()
    const note = page.getByRole('status').filter({ hasText: /网络出现问题，请稍后再试，数据停在 \d\d:\d\d:\d\d/ })
    await expect(note).toBeVisible()
    await expect(page.locator('.ant-table-tbody')).toHaveCSS('filter', 'grayscale(1)')

    await visit(page, '/permissions/role?keyword=没有这样的角色')
    await expect(page.getByText('列表加载失败')).toBeVisible()
    await expect(page.locator('.ant-result-subtitle')).toHaveText('网络出现问题，请稍后再试')
    await expect(page.locator('.ant-spin-spinning')).toHaveCount(0)
    await expect(page.getByRole('button', { name: '重试' })).toBeVisible()
    // With the network the list comes by itself; elsewhere it is asked for.
    await context.setOffline(false)
    await expect(page.getByText('没有符合筛选条件的记录')).toBeVisible()
    await visit(page, '/permissions/role')
    await expect(administratorRole(page)).toBeVisible()
    await expect(note).toBeHidden()
    await expect(page.locator('.ant-table-tbody')).toHaveCSS('filter', 'none')
  })

  test('the page is not white before its scripts are there', async ({ page }) => {
    await page.route(/\.js$/, () => new Promise(() => undefined))
    await page.goto(at('/log'), { waitUntil: 'commit' })
    await expect(page.getByText('运营平台', { exact: true })).toBeVisible()
    await expect(page.getByRole('status')).toContainText('正在加载')
    await expect(page.locator('html')).toHaveCSS('background-color', 'rgb(243, 245, 248)')
  })

  test('正在加载 stands in one line', async ({ page }) => {
    await page.route('**/platform/permission/login', () => new Promise(() => undefined))
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(at('/log'))
    const words = page.getByText('正在加载用户信息…')
    await expect(words).toBeVisible()
    const lines = await words.evaluate((element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
    })
    expect(lines).toBe(1)
  })
})

test.describe('whoever is disabled while he works', () => {
  test.use({ allowed: [/Failed to load resource|^WebSocket /] })

  for (const [name, path] of [
    ['at a list, which is told at once', '/permissions/role'],
    ['at a page that asks for nothing, when he goes on', '/permissions/add-role'],
  ] as const) {
    test(`is led to the login and told why: ${name}`, async ({ browser, clean, request }) => {
      const { phone } = await newOperator(request, '将停用', ['10', '1001'])
      const context = await browser.newContext({ storageState: { cookies: [], origins: [] } })
      clean(context)
      const page = await context.newPage()
      // Told by nobody, not by its socket either.
      if (path !== '/permissions/role') await page.routeWebSocket(/\/backend\/ws$/, () => undefined)
      await enterByLink(page, request, phone)
      await visit(page, path)
      await expect(page.getByRole('banner')).toBeVisible()
      // What the page before was about to ask is asked.
      await page.waitForLoadState('networkidle')
      await settled(page)
      if (path === '/permissions/role') await expect(badge(page)).toHaveText('实时')
      const disabled = await call(request, adminKeys(), 'POST', '/platform/permission/user/state', { phone, state: 0 })
      expect(disabled.suc, JSON.stringify(disabled)).toBe(true)
      if (path !== '/permissions/role') await visit(page, '/permissions/role')
      await expect(page.getByRole('alert').filter({ hasText: '账号已停用' })).toBeVisible()
      expect(hashOf(page)).toBe('/login')
      expect(await page.evaluate(() => localStorage.getItem('Access-Token'))).toBeNull()
      await context.close()
    })
  }
})

test('no page to come looks built: its entry is marked, and so is the page', async ({ page }) => {
  await page.goto(at('/permissions/role'))
  const menu = page.getByRole('navigation', { name: '主菜单' })
  await expect(menu.getByRole('menuitem', { name: '角色列表' })).toHaveText('角色列表')
  await menu.getByRole('menuitem', { name: '操作日志' }).click()
  await expect(menu.getByRole('menuitem', { name: '操作人员日志' })).toHaveText('操作人员日志')
  await menu.getByRole('menuitem', { name: '车辆监控' }).click()
  const coming = menu.getByRole('menuitem', { name: '运营分析' })
  await expect(coming).toHaveText('运营分析建设中')
  const colour = (entry: typeof coming) => entry.locator('.ant-menu-title-content > *').first().evaluate((element) => getComputedStyle(element).color)
  expect(await colour(coming)).toBe('rgb(140, 160, 184)')
  await coming.click()
  await expect(page.getByText('这个页面还没有建成')).toBeVisible()
})

test('/log shows how the fleet stands, and what was done last', async ({ page }) => {
  await page.goto(at('/log'))
  const shelved = page.locator('.home-fleet div').filter({ hasText: '上架' }).locator('dd')
  await expect(shelved).toHaveText(/^[1-9][\d,]*$/)
  await expect(page.locator('.home-acts li').first()).toBeVisible()
  await page.getByRole('link', { name: '全部操作日志' }).click()
  await expect(page.getByRole('heading', { name: '操作人员日志' })).toBeVisible()
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test('the search of the header has room for text and results', async ({ page, request }) => {
    const found = await call<{ rows: { carId: string }[] }>(request, adminKeys(), 'GET', '/vehicle/query', { page: '1', pageSize: '1' })
    expect(found.suc, JSON.stringify(found)).toBe(true)
    const carId = found.data.rows[0]?.carId ?? ''
    expect(carId).not.toBe('')
    await page.goto(at('/vehicle/operation-map'))
    await page.getByRole('button', { name: '搜索车辆' }).click()
    const field = page.getByRole('combobox', { name: '搜索车辆' })
    await expect(field).toBeFocused()
    expect((await field.boundingBox())?.width).toBeGreaterThan(200)
    await field.fill(carId)
    const hit = page.locator('.ant-select-dropdown .search-hit').first()
    await expect(hit).toBeVisible()
    const box = await hit.boundingBox()
    expect(box?.width).toBeGreaterThan(200)
    expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= 390).toBe(true)
    await hit.click()
    await expect.poll(() => hashOf(page)).toContain('carId=')
    await expect(field).toHaveCount(0)
  })

  test('the menu opens by itself once, not again after /404', async ({ page }) => {
    await page.goto(at('/log'))
    const menu = page.getByRole('navigation', { name: '主菜单' })
    await expect(menu).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(menu).toBeHidden()
    await visit(page, '/no-such-page')
    await page.getByRole('link', { name: '返回首页' }).click()
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
    await expect(page.getByRole('button', { name: '展开菜单' })).toBeVisible()
    await expect(menu).toBeHidden()
  })
})

test('a row is edited by an action in sight, which says why when it cannot be', async ({ page }) => {
  await page.goto(at(`/permissions/user?keyword=${myPhone()}`))
  await rowOf(page, masked(myPhone())).getByRole('button', { name: '编辑' }).click()
  await expect(page.getByRole('dialog').getByRole('button', { name: '保存' })).toBeVisible()
  await page.goto(at('/permissions/role'))
  const edit = administratorRole(page).getByRole('button', { name: '编辑' })
  await expect(edit).toBeDisabled()
  await expect(edit).toHaveAttribute('title', /^系统内置角色/)
})

test('an empty list is accessible', async ({ page }) => {
  await page.goto(at('/permissions/role?keyword=没有这样的角色'))
  await expect(page.getByText('没有符合筛选条件的记录')).toBeVisible()
  expect(await violationsOf(page)).toEqual([])
})

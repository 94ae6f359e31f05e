import type { Locator, Page } from '@playwright/test'
import { administratorRole, at, badge, expect, hashOf, seen, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

const bar = (page: Page) => page.getByRole('tablist', { name: '已打开的页面' })
const tabs = (page: Page) => bar(page).getByRole('tab')
const active = (page: Page) => bar(page).locator('[aria-selected="true"]')

/** Opens the pages one after the other. */
async function visit(page: Page, ...paths: string[]): Promise<void> {
  for (const path of paths) {
    await page.goto(at(path))
    await expect(active(page)).toBeVisible()
    await expect.poll(() => active(page).getAttribute('title')).toBe(path)
  }
}

const LOG = '/log'
const ROLES = '/permissions/role'
const ADD = '/permissions/add-role'

/** Chooses `item` in the menu of the tab `name`. */
async function fromMenu(page: Page, tab: Locator, item: string): Promise<void> {
  await tab.click({ button: 'right' })
  await page.getByRole('menuitem', { name: item }).click()
}

test.describe('tabs', () => {
  test.beforeEach(async ({ page }) => {
    await page.addInitScript(() => localStorage.setItem('ebike_ops__multiTab', 'true'))
  })

  test('TAB-001 TAB-007 TAB-008 TAB-009 FRAME-003 each page has one tab, and it is the active one', async ({ page }) => {
    await visit(page, LOG, ROLES, ADD)
    await expect(tabs(page)).toHaveText(['首页', '角色列表', '新增角色'])
    await expect(active(page)).toHaveText('新增角色')
    await page.getByRole('menuitem', { name: '角色列表' }).click()
    await expect(tabs(page)).toHaveCount(3)
    await expect(active(page)).toHaveText('角色列表')
    await tabs(page).first().click()
    await expect.poll(() => hashOf(page)).toBe(LOG)
    await page.goBack()
    await expect(active(page)).toHaveText('角色列表')
    // A reload keeps them, and the one that was shown.
    await page.reload()
    await expect(tabs(page)).toHaveText(['首页', '角色列表', '新增角色'])
    await expect(active(page)).toHaveText('角色列表')
    await tabs(page).last().click()
    await expect.poll(() => hashOf(page)).toBe(ADD)
  })

  test('TAB-002 TAB-003 TAB-004 TAB-005 a right click closes one, the right, the left or all', async ({ page }) => {
    await visit(page, LOG, ROLES, ADD)
    await tabs(page).nth(1).click({ button: 'right' })
    await expect(page.getByRole('menuitem', { name: '关闭' })).toHaveText(['关闭当前标签', '关闭右侧', '关闭左侧', '关闭全部'])
    await page.getByRole('menuitem', { name: '关闭右侧' }).click()
    await expect(tabs(page)).toHaveText(['首页', '角色列表'])
    await expect.poll(() => hashOf(page)).toBe(ROLES)
    await fromMenu(page, tabs(page).nth(1), '关闭左侧')
    await expect(tabs(page)).toHaveText(['角色列表'])
    await visit(page, LOG, ADD)
    await fromMenu(page, tabs(page).nth(1), '关闭全部')
    await expect(tabs(page)).toHaveText(['首页'])
    await expect.poll(() => hashOf(page)).toBe(LOG)
    await visit(page, ROLES)
    await fromMenu(page, tabs(page).nth(1), '关闭当前标签')
    await expect(tabs(page)).toHaveText(['首页'])
  })

  test('TAB-006 TAB-010 ERR-032 ERR-033 the last tab becomes active, the only one stays, and empty sides are warned of', async ({ page }) => {
    await visit(page, LOG, ROLES, ADD)
    await fromMenu(page, tabs(page).first(), '关闭左侧')
    await expect(page.getByText('左侧没有标签')).toBeVisible()
    await fromMenu(page, tabs(page).last(), '关闭右侧')
    await expect(page.getByText('右侧没有标签')).toBeVisible()
    await expect(tabs(page)).toHaveCount(3)

    await tabs(page).first().click()
    await page.getByRole('button', { name: '关闭 首页' }).click()
    await expect(active(page)).toHaveText('新增角色')
    await expect.poll(() => hashOf(page)).toBe(ADD)
    await page.getByRole('button', { name: '关闭 角色列表' }).click()
    await expect(page.locator('.tab-close')).toHaveCount(0)
    await tabs(page).first().click({ button: 'right' })
    await expect(page.getByRole('menuitem', { name: '关闭当前标签' })).toHaveAttribute('aria-disabled', 'true')
  })

  test('AMB-077 a page is as it was left while its tab is open, a filter in the address included', async ({ page }) => {
    await visit(page, ROLES)
    await page.getByLabel('关键词').fill('超级管理员')
    await page.getByLabel('关键词').press('Enter')
    await expect.poll(() => hashOf(page)).toContain('keyword=')
    await expect(tabs(page)).toHaveCount(1)
    await administratorRole(page).getByRole('checkbox').check()
    await expect(page.getByText(/已选择 1 项/)).toBeVisible()
    await page.goto(at(LOG))
    await expect(page.getByText(/已选择 1 项/)).toBeHidden()
    await tabs(page).first().click()
    await expect(page.getByText(/已选择 1 项/)).toBeVisible()
    expect(hashOf(page)).toContain('keyword=超级管理员')
    // A page outside of the frame opens no tab and loses none.
    await page.goto(at('/404'))
    await expect(bar(page)).toBeHidden()
    await page.goBack()
    await expect(page.getByText(/已选择 1 项/)).toBeVisible()
    await expect(tabs(page)).toHaveCount(2)
  })

  test('tabs go by keys: arrows, Delete, and the menu with its own key', async ({ page }) => {
    await visit(page, LOG, ROLES, ADD)
    await active(page).focus()
    await page.keyboard.press('ArrowLeft')
    await expect(tabs(page).nth(1)).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(active(page)).toHaveText('角色列表')
    await page.keyboard.press('Home')
    await expect(tabs(page).first()).toBeFocused()
    await page.keyboard.press('Delete')
    await expect(tabs(page)).toHaveText(['角色列表', '新增角色'])
    await expect(active(page)).toBeFocused()
    await page.keyboard.press('Shift+F10')
    await expect(page.getByRole('menuitem', { name: '关闭右侧' })).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('menuitem', { name: '关闭右侧' })).toBeHidden()
  })

  test('the live map behind another tab listens but does not draw, and is at once what it was', async ({ page }) => {
    await visit(page, '/vehicle/operation-map')
    await expect(badge(page)).toHaveText('实时')
    await expect.poll(async () => (await seen(page)).count, { timeout: 30_000 }).toBeGreaterThan(0)
    await page.goto(at(ROLES))
    await expect(page.getByRole('heading', { name: '角色列表' })).toBeVisible()
    const paints = async () => (await seen(page)).paints
    const heard = async (seq: number) =>
      expect.poll(async () => (await seen(page)).seq, { timeout: 30_000 }).toBeGreaterThan(seq)
    const hidden = await seen(page)
    expect(hidden.count).toBeGreaterThan(0)
    // The keys of the map are not for a page that is behind.
    await page.keyboard.press('f')
    // One picture may have been under way; a map that drew would draw each of four ticks.
    await heard(hidden.seq + 3)
    expect(await paints()).toBeLessThanOrEqual(hidden.paints + 1)
    expect(await page.evaluate(() => document.activeElement?.closest('.opmap') ?? null)).toBeNull()
    await tabs(page).first().click()
    await expect.poll(paints).toBeGreaterThan(hidden.paints + 1)
    expect((await seen(page)).count).toBeGreaterThan(hidden.count * 0.9)
  })
})

test('FRAME-008 AMB-072 without the choice there is no tab bar, and with it there is', async ({ page }) => {
  await page.goto(at(LOG))
  await expect(page.getByRole('banner')).toBeVisible()
  await expect(bar(page)).toHaveCount(0)
  await page.evaluate(() => localStorage.setItem('ebike_ops__multiTab', 'true'))
  await page.reload()
  await expect(tabs(page)).toHaveText(['首页'])
})

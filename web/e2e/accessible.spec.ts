import type { Page } from '@playwright/test'
import { violationsOf } from './axe'
import { built, lists, oneToCome, settled, withoutMenu } from './built'
import { administratorRole, at, expect, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

/** `every-list.spec.ts` looks at the others, at these sizes too. */
const others = built.filter((path) => !lists.includes(path))

for (const [width, height] of [
  [1366, 768],
  [390, 844],
] as const) {
  test(`every page that is no list is accessible at ${width} × ${height}`, async ({ page }) => {
    // It grows with the pages.
    test.setTimeout(others.length * 4_000)
    await page.setViewportSize({ width, height })
    const found: string[] = []
    for (const path of [...others, oneToCome, '/404']) {
      await page.goto(at(path))
      if (path !== '/404') await settled(page)
      await withoutMenu(page)
      found.push(...(await violationsOf(page)).map((violation) => `${path}: ${violation}`))
    }
    expect(found).toEqual([])
  })
}

/** What lies over a page when it is worked with. */
const overlays: Record<string, { path: string; open: (page: Page) => Promise<void> }> = {
  'a new person': { path: '/permissions/user', open: (page) => page.getByRole('button', { name: '新增人员' }).click() },
  'a role': { path: '/permissions/role', open: (page) => administratorRole(page).click() },
  'a new agent': { path: '/agent/account-management', open: (page) => page.getByRole('button', { name: '新增代理' }).click() },
  'the settings': { path: '/permissions/role', open: (page) => page.getByRole('button', { name: '页面设置' }).click() },
  'the choice of areas': {
    path: '/permissions/role',
    open: (page) => page.getByRole('banner').getByRole('button', { name: /选择服务区/ }).click(),
  },
}

for (const [name, { path, open }] of Object.entries(overlays)) {
  test(`what lies over a page is accessible: ${name}`, async ({ page }) => {
    await page.goto(at(path))
    await settled(page)
    await open(page)
    await expect(page.getByRole('dialog')).toBeVisible()
    await settled(page)
    expect(await violationsOf(page)).toEqual([])
  })
}

test.describe('before signing in', () => {
  test.use({ storageState: { cookies: [], origins: [] } })

  for (const path of ['/login', '/login-home']) {
    test(`${path} is accessible, and can be used by the keyboard alone`, async ({ page }) => {
      await page.goto(at(path))
      const phone = page.getByPlaceholder('请输入手机号')
      await expect(phone).toBeFocused()
      expect(await violationsOf(page)).toEqual([])
      await page.keyboard.type('13800000001')
      await page.keyboard.press('Tab')
      await expect(page.getByPlaceholder('请输入验证码')).toBeFocused()
      await page.keyboard.press('Tab')
      await expect(page.getByRole('button', { name: '发送验证码' })).toBeFocused()
      await page.keyboard.press('Tab')
      await expect(page.getByRole('button', { name: /登\s*录/ })).toBeFocused()
    })
  }
})

import type { Page } from '@playwright/test'
import { at, expect, failing, hashOf, SIGNED_IN, test } from './fixtures'
import { adminKeys, call, enterByLink, newOperator } from './wire'

// A page that is opened with a session that has ended asks who it is, and is told.
const ended = failing(401, '/platform/permission/login')
test.use({ allowed: [[ended, /^WebSocket .* closed before the connection/], { scope: 'test' }] })

/** Where a visit of `path` ends. */
async function visit(page: Page, path: string): Promise<string> {
  await page.goto(at('/login-home'))
  await page.goto(at(path))
  await expect(page.locator('main').first()).toBeVisible()
  return hashOf(page)
}

const menuItem = (page: Page, name: string) => page.getByRole('navigation', { name: '主菜单' }).getByText(name, { exact: true })

test('PERM-007 ACCESS-010 ACCESS-021 menu and addresses follow the codes, and a code that is taken away', async ({ page, request }) => {
  const { phone, roleId, roleName } = await newOperator(request, '两页人员', ['10', '1001', '1002'])
  await enterByLink(page, request, phone)
  await page.goto(at('/permissions/role'))
  await expect(menuItem(page, '角色列表')).toBeVisible()
  await expect(menuItem(page, '人员列表')).toBeVisible()
  await expect(menuItem(page, '车辆监控')).toHaveCount(0)
  await page.goto(at('/vehicle/vehicle-query'))
  await expect.poll(() => hashOf(page)).toBe('/404')
  await page.goto(at('/no-such-page'))
  await expect.poll(() => hashOf(page)).toBe('/404')

  const found = await call<{ rows: { version: number }[] }>(request, adminKeys(), 'GET', '/platform/permission/role', { keyword: roleName })
  const changed = { id: roleId, name: roleName, remark: '', codes: ['10', '1001'], version: found.data.rows[0]?.version }
  const answer = await call(request, adminKeys(), 'PUT', '/platform/permission/role', changed)
  expect(answer.suc, JSON.stringify(answer)).toBe(true)
  // What a link opened ends with the rights that it was made for; a new one opens what is left.
  await page.goto(at('/permissions/role'))
  await page.reload()
  await expect(page.getByRole('region', { name: '登录' })).toBeVisible()
  // Opened as from a message, not as another place of the page that is open.
  await page.goto('about:blank')
  await enterByLink(page, request, phone)
  await page.goto(at('/permissions/role'))
  await expect(menuItem(page, '角色列表')).toBeVisible()
  await expect(menuItem(page, '人员列表')).toHaveCount(0)
  await page.goto(at('/permissions/user'))
  await expect.poll(() => hashOf(page)).toBe('/404')
})

test.describe('by the financial account', () => {
  test.use({ storageState: SIGNED_IN })

  /** Reloads with this account, as the login would have stored it. */
  async function withAccount(page: Page, status: string, level: string, cashierMode: string): Promise<void> {
    await page.goto(at('/log'))
    await page.evaluate(
      ([s, l, c]) => {
        localStorage.setItem('accountStatus', s ?? '')
        localStorage.setItem('accountLevel', l ?? '')
        localStorage.setItem('cashierMode', c ?? '')
      },
      [status, level, cashierMode],
    )
    await page.reload()
    await expect(page.getByRole('banner')).toBeVisible()
  }

  test('GATE-001 GATE-002 GATE-003 GATE-004 ACCT-003 an account that is not open leaves the divide-bills', async ({ page }) => {
    await withAccount(page, '1', '2', '1')
    await expect(menuItem(page, '产品服务')).toBeVisible()
    await page.getByRole('button', { name: /设置菜单/ }).click()
    await expect(page.getByText('退出登录')).toBeVisible()
    await expect(page.getByText('修改支付密码')).toHaveCount(0)
    expect(await visit(page, '/financial/billDetails')).toBe('/404')
    expect(await visit(page, '/financial/SplitBill')).toBe('/financial/SplitBill')
    expect(await visit(page, '/report/download-statistics')).toBe('/report/download-statistics')
  })

  test('GATE-005 GATE-006 GATE-007 level 1 has neither bills nor objections, level 2 has all', async ({ page }) => {
    await withAccount(page, '2', '1', '1')
    expect(await visit(page, '/financial/billDetails')).toBe('/404')
    expect(await visit(page, '/financial/objectionBill')).toBe('/404')
    await withAccount(page, '2', '2', '1')
    expect(await visit(page, '/financial/billDetails')).toBe('/financial/billDetails')
    expect(await visit(page, '/financial/objectionBill')).toBe('/financial/objectionBill')
  })

  test('PERM-012 PERM-013 ACCT-001 ACCT-004 ACCT-005 the payment password shows for an open account with cashier', async ({ page }) => {
    const entry = page.getByRole('menuitem', { name: '修改支付密码' })
    await withAccount(page, '2', '2', '0')
    await expect(menuItem(page, '产品服务')).toBeVisible()
    await page.getByRole('button', { name: /设置菜单/ }).click()
    await expect(page.getByRole('menuitem', { name: '退出登录' })).toBeVisible()
    await expect(entry).toHaveCount(0)
    await withAccount(page, '2', '2', '1')
    await page.getByRole('button', { name: /设置菜单/ }).click()
    await expect(entry).toBeVisible()
    await expect(page.getByRole('menuitem', { name: '重置支付密码' })).toBeVisible()
  })
})

import { readFileSync } from 'node:fs'
import { at, expect, failing, hashOf, server, SIGNED_IN, test } from './fixtures'
import { enterByLink, linkFor, newOperator } from './wire'

// The one call that a test has fail.
const provoked = failing(500, '/platform/permission/login')
test.use({ storageState: SIGNED_IN, allowed: [[provoked, /^WebSocket .* closed before the connection/], { scope: 'test' }] })

const login = /#\/login-home\?redirect=/
const keysOf = (text: string) => JSON.parse(text) as { cookies: { name: string; expires: number }[] }

test('ACCESS-001 SESSION-001 SESSION-005 a page is opened by its address, and a reload keeps it', async ({ page }) => {
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname.replace('/ebike/v3/backend', '')))
  await page.goto(at('/permissions/role'))
  await expect(page.getByRole('heading', { name: '角色列表' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { name: '角色列表' })).toBeVisible()
  expect(hashOf(page)).toBe('/permissions/role')
  const rights = asked.filter((path) => ['/platform/permission/login', '/platform/permission/allCode'].includes(path))
  expect(rights).toEqual(['/platform/permission/login', '/platform/permission/allCode', '/platform/permission/login', '/platform/permission/allCode'])
})

for (const [id, what] of [
  ['SESSION-002', 'Access-Token'],
  ['SESSION-003', 'objectId'],
] as const) {
  test(`${id} without ${what} the visitor is anonymous`, async ({ page }) => {
    await page.goto(at('/log'))
    await expect(page.getByRole('banner')).toBeVisible()
    // While the page is away nothing of it is asked without the key.
    await page.goto(`${server()}/healthz`)
    await page.evaluate((key) => localStorage.removeItem(key), what)
    await page.goto(at('/log'))
    await expect(page).toHaveURL(login)
  })
}

test('SESSION-004 without the cookie _t the visitor is anonymous', async ({ page }) => {
  await page.goto(at('/log'))
  await expect(page.getByRole('banner')).toBeVisible()
  // While the page is away nothing of it is asked without the cookie.
  await page.goto('about:blank')
  await page.context().clearCookies({ name: '_t' })
  await page.goto(at('/log'))
  await expect(page).toHaveURL(login)
})

test('ACCESS-002 ACCESS-009 who is logged in has no business at the login', async ({ page }) => {
  await page.goto(at('/login'))
  await expect.poll(() => hashOf(page)).toBe('/log')
})

test('CONST-005 CONST-006 the token is good for seven days, the signature for two', async ({ page }) => {
  await page.goto(at('/log'))
  const text = await page.evaluate(() => atob((localStorage.getItem('Access-Token') ?? '').split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''))
  const { iat, exp } = JSON.parse(text) as { iat: number; exp: number }
  expect(exp - iat).toBe(604_800)
  const kept = keysOf(readFileSync(SIGNED_IN, 'utf8')).cookies.filter(({ name }) => name === '_t' || name === '_k')
  expect(kept).toHaveLength(2)
  for (const cookie of kept) expect(Math.abs(cookie.expires - iat - 172_800)).toBeLessThan(120)
})

test('SESSION-006 SESSION-007 user info that does not load ends the session, and says so', async ({ page }) => {
  await page.route('**/platform/permission/login', (route) => route.fulfill({ status: 500, json: { message: '内部错误', suc: false } }))
  await page.goto(at('/permissions/role'))
  const notice = page.locator('.ant-notification-notice')
  await expect(notice).toContainText('错误')
  await expect(notice).toContainText('请求用户信息失败，请重试')
  await expect.poll(() => hashOf(page)).toBe('/login-home')
  expect(await page.evaluate(() => localStorage.getItem('objectId'))).toBeNull()
})

test('AMB-103 an open page renews a session that ends in less than twelve hours', async ({ page }) => {
  await page.goto(at('/log'))
  await expect(page.getByRole('banner')).toBeVisible()
  const before = await page.evaluate(() => {
    localStorage.setItem('signedUntil', String(Date.now() + 11 * 3_600_000))
    localStorage.setItem('opAreaIdsBigScreen', '')
    return localStorage.getItem('Access-Token')
  })
  const renewal = page.waitForResponse((answer) => answer.url().endsWith('/auth/token'))
  await page.reload()
  expect((await renewal).status()).toBe(200)
  await expect.poll(() => page.evaluate(() => localStorage.getItem('Access-Token'))).not.toBe(before)
  await expect(page.getByRole('banner')).toBeVisible()
})

test('what one tab does to the session, the other follows at once', async ({ browser, clean, request }) => {
  const { phone } = await newOperator(request, '双页人员', ['10', '1001'])
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } })
  clean(context)
  const one = await context.newPage()
  await enterByLink(one, request, phone)
  const other = await context.newPage()
  await other.goto(at('/permissions/role'))
  await expect(other.getByRole('heading', { name: '角色列表' })).toBeVisible()

  await one.getByRole('button', { name: /设置菜单/ }).click()
  await one.getByText('退出登录').click()
  await one.getByRole('button', { name: '确定' }).click()
  await expect(other.getByText('您已在另一个标签页退出登录')).toBeVisible()
  expect(hashOf(other)).toBe('/login?redirect=/permissions/role')

  await one.goto(await linkFor(request, phone, '/login-home'))
  await expect(one.getByText('登录成功')).toBeVisible({ timeout: 20_000 })
  await expect(other.getByRole('heading', { name: '角色列表' })).toBeVisible()
  expect(hashOf(other)).toBe('/permissions/role')
  await context.close()
})

import type { Page, Route } from '@playwright/test'
import { at, expect, failing, hashOf, SIGNED_IN, test } from './fixtures'

// A browser logs every refused call as an error of its console; these tests provoke refusals of one call.
const provoked = failing('40[134]|ERR_CONNECTION_RESET', '/platform/permission/role')
const leaving = /^WebSocket .* closed before the connection/
test.use({ storageState: SIGNED_IN, allowed: [[provoked, leaving], { scope: 'test' }] })

const notices = (page: Page) => page.locator('.ant-notification-notice-wrapper')

/** Opens the role list while its call is answered by `answer`. */
async function openList(page: Page, answer: (route: Route) => Promise<void>): Promise<void> {
  await page.route(/\/platform\/permission\/role(\?|$)/, answer)
  await page.goto(at('/permissions/role'))
}

test('ERR-001 ERR-002 403 is Forbidden, with the words of the server', async ({ page }) => {
  await openList(page, (route) => route.fulfill({ status: 403, json: { message: '您没有这项权限', suc: false } }))
  await expect(notices(page)).toHaveCount(1)
  await expect(notices(page)).toContainText('Forbidden')
  await expect(notices(page)).toContainText('您没有这项权限')
  expect(hashOf(page)).toBe('/permissions/role')
})

test('ERR-003 404 is 错误 / 请求错误，未找到该资源', async ({ page }) => {
  await openList(page, (route) => route.fulfill({ status: 404, json: { message: '没有这个地址', suc: false } }))
  await expect(notices(page)).toHaveCount(1)
  await expect(notices(page)).toContainText('错误')
  await expect(notices(page)).toContainText('请求错误，未找到该资源')
})

test('ERR-004 ERR-005 ERR-006 401 says so once, clears the token and leads to /login', async ({ page }) => {
  await openList(page, (route) => route.fulfill({ status: 401, json: { message: '登录已失效', suc: false } }))
  await expect(notices(page)).toHaveCount(1)
  await expect(notices(page)).toContainText('未授权')
  await expect(notices(page)).toContainText('授权验证失败')
  await expect.poll(() => hashOf(page)).toBe('/login')
  expect(await page.evaluate(() => localStorage.getItem('Access-Token'))).toBeNull()
})

test('ERR-007 no answer is 错误 / 网络出现问题，请稍后再试, told once however often it is tried', async ({ page }) => {
  await openList(page, (route) => route.abort('connectionreset'))
  await expect(notices(page)).toContainText('网络出现问题，请稍后再试')
  await expect(notices(page)).toHaveCount(1)
  // The list tries a second time by itself.
  await page.waitForTimeout(2500)
  await expect(notices(page)).toHaveCount(1)
})

/** A customer service is connected, whose script does not come. */
async function connectChat(page: Page): Promise<void> {
  await page.route('**/web/config?*', async (route) => {
    const response = await route.fetch()
    const answer = (await response.json()) as { data: Record<string, unknown> }
    await route.fulfill({ response, json: { ...answer, data: { ...answer.data, chatScript: './widget.js' } } })
  })
  await page.route('**/widget.js', (route) => route.abort())
}

test('there is no launcher where no customer service is connected', async ({ page }) => {
  await page.goto(at('/log'))
  await expect(page.getByRole('banner')).toBeVisible()
  await expect(page.getByRole('button', { name: '在线客服' })).toHaveCount(0)
})

test.describe('a customer service that does not come', () => {
  test.use({ allowed: [[failing('net::ERR_FAILED', '/widget.js'), leaving], { scope: 'test' }] })
  test('CHAT-001 the launcher is there for who is logged in, and its panel says what it is', async ({ page }) => {
    await connectChat(page)
    await page.goto(at('/log'))
    await page.getByRole('button', { name: '在线客服' }).click()
    await expect(page.getByRole('dialog', { name: '在线客服' })).toContainText('客服程序未能加载')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog', { name: '在线客服' })).toBeHidden()
  })
})

test('VAL-014 AMB-042 the chat is refused with the alert when the session is gone', async ({ page }) => {
  await connectChat(page)
  await page.goto(at('/log'))
  await expect(page.getByRole('button', { name: '在线客服' })).toBeVisible()
  await page.evaluate(() => localStorage.removeItem('objectId'))
  await page.getByRole('button', { name: '在线客服' }).click()
  await expect(page.getByText('尊敬的用户，您好，登录后才可以和我聊天哦！')).toBeVisible()
})

test.describe('without a session', () => {
  test.use({ storageState: { cookies: [], origins: [] } })
  test('CHAT-002 an anonymous visitor has no launcher', async ({ page }) => {
    await connectChat(page)
    await page.goto(at('/login-home'))
    await expect(page.getByRole('button', { name: '登录', exact: true })).toBeVisible()
    await expect(page.getByRole('button', { name: '在线客服' })).toHaveCount(0)
  })
})

import { adminPhone, at, expect, hashOf, phoneOf, requestCode, SIGNED_IN, signedInOf, smsCode, test } from './fixtures'
import { adminKeys, call } from './wire'

test.describe.configure({ mode: 'serial' })

/** The role 超级管理员, which every installation has. */
const ADMINISTRATOR = '1'

test('FLOW-002 to FLOW-008 ACCESS-008 the login leads back to where one came from', async ({ page }) => {
  test.setTimeout(180_000)
  await page.goto(at('/permissions/role'))
  await page.getByLabel('手机号').fill(adminPhone())
  await requestCode(page)
  await expect(page.getByRole('button', { name: /重新发送\(\d+s\)/ })).toBeDisabled()

  // A wrong code is refused, and the right one still counts.
  await page.getByLabel('验证码', { exact: true }).fill(smsCode() === '000000' ? '000001' : '000000')
  await page.getByLabel('验证码', { exact: true }).press('Enter')
  await expect(page.locator('.ant-message-error')).toContainText('验证码')
  expect(await page.evaluate(() => localStorage.getItem('Access-Token'))).toBeNull()

  const calls: string[] = []
  page.on('request', (request) => {
    if (['POST', 'GET'].includes(request.method()) && /auth|mieba|platform|Pay/.test(request.url())) {
      calls.push(new URL(request.url()).pathname.replace('/ebike/v3/backend', ''))
    }
  })
  await page.getByLabel('验证码', { exact: true }).fill(smsCode())
  await page.getByLabel('验证码', { exact: true }).press('Enter')
  await expect(page.getByText('登录成功')).toBeVisible({ timeout: 30_000 })
  await expect(page.getByRole('heading', { name: '角色列表' })).toBeVisible()
  expect(hashOf(page)).toBe('/permissions/role')
  expect(calls.slice(0, 9)).toEqual([
    '/mieba/platform/opman/device/verification',
    '/auth/publicKey',
    '/auth/verifySign',
    '/auth/sms/verify',
    '/auth/login/phone',
    '/platform/permission/login',
    '/platform/agent/byApiKey',
    '/platform/agent/billingWay',
    '/Pay/customer/getAccountInfo',
  ])
  const stored = await page.evaluate(() => Object.fromEntries(Object.entries(localStorage)) as Record<string, string>)
  expect(stored.opMan).toBe(adminPhone())
  for (const key of ['Access-Token', 'objectId', 'roleId', 'opAreaIds', 'agentIds', 'userId', 'phone', 'xcUid', 'cashierMode']) {
    expect(stored, key).toHaveProperty(key)
  }
  await page.context().storageState({ path: SIGNED_IN })
})

test('every other worker gets an administrator, whom the first one adds', async ({ browser, clean, request }, { config }) => {
  for (let worker = 1; worker < config.workers; worker += 1) {
    const person = { phone: phoneOf(worker), name: `浏览器${worker}`, level: 15, roleIds: [ADMINISTRATOR] }
    const added = await call(request, adminKeys(), 'POST', '/platform/permission/user', person)
    // A stack that is used again has him already.
    expect(added.suc ? '' : added.error?.code, JSON.stringify(added)).toMatch(/^$|phone/)
    const context = await browser.newContext()
    clean(context)
    const page = await context.newPage()
    await page.goto(at('/login'))
    await page.getByLabel('手机号').fill(person.phone)
    await requestCode(page)
    await page.getByLabel('验证码', { exact: true }).fill(smsCode())
    await page.getByLabel('验证码', { exact: true }).press('Enter')
    await expect(page.getByText('登录成功')).toBeVisible()
    await expect.poll(() => hashOf(page)).toBe('/log')
    await context.storageState({ path: signedInOf(worker) })
    await context.close()
  }
})

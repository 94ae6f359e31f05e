import { at, expect, hashOf, test } from './fixtures'
import { adminKeys, call, freshKeys, linkFor, newOperator, newOrigin, type Operator } from './wire'

test.describe.configure({ mode: 'serial' })

let operator: Operator
test.beforeAll(async ({ request }) => {
  operator = await newOperator(request, '链接人员', ['10', '1001'])
})

test('LOGIN-007 QUICK-004 QUICK-005 QUICK-006 a fresh link signs in without typing, and says welcome', async ({ page, request }) => {
  await page.goto(await linkFor(request, operator.phone, '/login'))
  await expect(page.getByText('登录成功')).toBeVisible({ timeout: 20_000 })
  await expect.poll(() => hashOf(page)).toBe('/log')
  expect(await page.evaluate(() => localStorage.getItem('opMan'))).toBe(operator.phone)
})

test('QUICK-007 a link works once: replayed it is refused, and the page says what to do', async ({ page, browser, request }) => {
  const link = await linkFor(request, operator.phone, '/login-home')
  await page.goto(link)
  await expect(page.getByText('登录成功')).toBeVisible({ timeout: 20_000 })
  const context = await browser.newContext()
  const other = await context.newPage()
  await other.goto(link)
  await expect(other.getByRole('alert')).toContainText('登录链接已失效')
  await expect(other.getByRole('alert')).toContainText('只能使用一次')
  await expect(other.getByRole('button', { name: '登录', exact: true })).toBeEnabled()
  expect(await other.evaluate(() => localStorage.getItem('Access-Token'))).toBeNull()
  await context.close()
})

test('QUICK-007 a link that was changed is refused by the server', async ({ page, request }) => {
  const [said = '', signature = ''] = (await newOrigin(request, operator.phone)).split('.')
  const changed = { ...(JSON.parse(Buffer.from(said, 'base64url').toString()) as object), nonce: 'another' }
  const forged = `${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${signature}`
  await page.goto(at(`/login?origin=${forged}`))
  await expect(page.getByRole('alert')).toContainText('登录链接已失效')
  expect(await page.evaluate(() => localStorage.getItem('Access-Token'))).toBeNull()
})

test('QUICK-003 CONST-004 a link of sixty seconds ago leaves the form, and asks the server nothing', async ({ page }) => {
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
  const said = JSON.stringify({ phone: operator.phone, ts: Date.now() - 60_000, nonce: 'n' })
  await page.goto(at(`/login?origin=${Buffer.from(said).toString('base64url')}.s`))
  await expect(page.getByRole('alert')).toContainText('登录链接已失效')
  await expect(page.getByLabel('手机号')).toBeEnabled()
  expect(sent).toEqual([])
})

test('QUICK-002 the time is the server\'s: a computer whose clock is fast keeps no fresh link out', async ({ browser, clean, request }) => {
  const context = await browser.newContext()
  clean(context)
  const page = await context.newPage()
  await page.clock.setSystemTime(Date.now() + 10 * 60_000)
  await page.goto(await linkFor(request, operator.phone))
  await expect.poll(() => hashOf(page), { timeout: 20_000 }).toBe('/log')
  await expect(page.getByRole('banner')).toBeVisible()
  await context.close()
})

test('FLOW-010 the server signs nobody in whose phone this session did not prove', async ({ request }) => {
  const keys = await freshKeys(request, 'a-device-of-the-test')
  for (const path of ['/platform/permission/login', '/auth/login/phone']) {
    const answer = await call(request, keys, 'POST', path, { opManId: operator.phone, phone: operator.phone })
    expect(answer, path).toMatchObject({ suc: false, error: { code: 'phone-not-proved' } })
  }
})

test('ERR-024 AMB-027 one device too many waits for an administrator, and gets in once he has confirmed it', async ({ page, request }) => {
  const devices = () =>
    call<{ list: { id: string; device_code: string; state: string | number }[] }>(
      request, adminKeys(), 'GET', '/mieba/v2/platform/opman/device/login_info', { mobilePhoneNumber: operator.phone },
    )
  // Three of the tests before have signed in, each with a device of its own.
  await page.goto(await linkFor(request, operator.phone))
  const alert = page.getByRole('alert')
  await expect(alert).toContainText('当前设备未授权，请联系管理员')
  const code = (await page.evaluate(() => localStorage.getItem('device_code'))) ?? ''
  await expect(alert).toContainText(code.slice(-6))
  // The list of devices follows what was just recorded.
  const waiting = async () => (await devices()).data.list.find((device) => device.device_code === code)?.id
  await expect.poll(waiting).toBeDefined()
  const confirmed = await call(request, adminKeys(), 'POST', '/mieba/v2/platform/opman/device/authorize_confirm', { id: await waiting() })
  expect(confirmed.suc, JSON.stringify(confirmed)).toBe(true)
  await alert.getByRole('button', { name: '重试' }).click()
  await expect(page.getByText('登录成功')).toBeVisible({ timeout: 20_000 })
})

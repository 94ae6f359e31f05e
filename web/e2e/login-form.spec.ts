import { adminPhone, at, expect, hashOf, test } from './fixtures'

test('ACCESS-006 ACCESS-007 an anonymous visitor is sent to the login with the way back', async ({ page }) => {
  await page.goto(at('/permissions/role?keyword=a'))
  await expect(page.getByRole('button', { name: '登录', exact: true })).toBeVisible()
  expect(hashOf(page)).toBe('/login-home?redirect=/permissions/role?keyword=a')
})

test('WM-002 LOGIN-002 LOGIN-004 LOGIN-006 the login page has its fields, its buttons and no watermark', async ({ page }) => {
  await page.goto(at('/login'))
  await expect(page.getByPlaceholder('请输入手机号')).toBeVisible()
  await expect(page.getByRole('button', { name: '发送验证码' })).toBeEnabled()
  await expect(page.getByRole('button', { name: '登录', exact: true })).toBeVisible()
  await expect(page.locator('.watermark')).toHaveCount(0)
})

test('LOGIN-001 LOGIN-003 the fields take eleven and six characters', async ({ page }) => {
  await page.goto(at('/login'))
  await page.getByLabel('手机号').fill('')
  await page.getByLabel('手机号').pressSequentially('138123456789')
  await expect(page.getByLabel('手机号')).toHaveValue('13812345678')
  await page.getByLabel('验证码', { exact: true }).pressSequentially('1234567')
  await expect(page.getByLabel('验证码', { exact: true })).toHaveValue('123456')
})

test('FLOW-001 VAL-001 VAL-005 VAL-007 VAL-010 bad input is warned of and nothing is sent', async ({ page }) => {
  await page.goto(at('/login'))
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
  await page.getByLabel('手机号').fill('1381234')
  await page.getByRole('button', { name: '发送验证码' }).click()
  await expect(page.getByText('无效的手机号码')).toBeVisible()
  await page.getByLabel('手机号').fill('12012345678')
  await page.getByRole('button', { name: '登录', exact: true }).click()
  await expect(page.getByText('手机号格式不正确')).toBeVisible()
  await page.getByLabel('手机号').fill(adminPhone())
  await page.getByLabel('验证码', { exact: true }).press('Enter')
  await expect(page.getByText('无效的验证码')).toBeVisible()
  await page.getByLabel('验证码', { exact: true }).pressSequentially('12a')
  await expect(page.getByText('请输入数字')).toBeVisible()
  await expect(page.getByLabel('验证码', { exact: true })).toHaveValue('')
  expect(sent).toEqual([])
})

test('FLOW-009 a failed step leaves the visitor anonymous', async ({ page }) => {
  await page.goto(at('/login'))
  await page.getByLabel('手机号').fill('13900000000')
  await page.getByLabel('验证码', { exact: true }).fill('000000')
  await page.getByLabel('验证码', { exact: true }).press('Enter')
  await expect(page.locator('.ant-message-error')).toBeVisible()
  const kept = await page.evaluate(() => [
    localStorage.getItem('Access-Token'),
    localStorage.getItem('objectId'),
    /(?:^|; )_t=/.test(document.cookie),
  ])
  expect(kept).toEqual([null, null, false])
})

test('AMB-024 a link that is too old says so', async ({ page }) => {
  const origin = `${Buffer.from(JSON.stringify({ phone: '13812345678', ts: Date.now() - 60_000 })).toString('base64url')}.x`
  await page.goto(at(`/login?origin=${origin}`))
  await expect(page.getByText('登录链接已失效')).toBeVisible()
})

test('SMS-005 ERR-014 a code that is not sent shows the words of the server, and can be asked for at once', async ({ page }) => {
  const asked: unknown[] = []
  await page.route('**/auth/sms/code', (route) => {
    asked.push(route.request().postDataJSON())
    return route.fulfill({ json: { error: '该号码今日已达上限' } })
  })
  await page.goto(at('/login'))
  await page.getByLabel('手机号').fill('13900000001')
  const send = page.getByRole('button', { name: '发送验证码' })
  await send.click()
  await expect(page.locator('.ant-message-error')).toHaveText('该号码今日已达上限')
  await expect(send).toBeEnabled()
  expect(asked).toEqual([expect.objectContaining({ mobilePhoneNumber: '13900000001' })])
})

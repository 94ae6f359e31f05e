import type { APIRequestContext, Page } from '@playwright/test'
import { fromBase64Url } from '../src/api/bytes'
import { openText } from '../src/api/paramsCipher'
import { violationsOf } from './axe'
import { at, badge, expect, failing, hashOf, rowOf, SIGNED_IN, smsCode, test } from './fixtures'
import { adminKeys, call, enterByLink, newPhone } from './wire'

// The stand-in of the payment provider names no icon, so the browser asks for the usual one. A page that goes while it
// connects is told of by the browser.
const iconless = failing(404, '/favicon.ico')
test.use({ storageState: SIGNED_IN, allowed: [[iconless, /^WebSocket .* closed before the connection/], { scope: 'test' }] })

/** New in every run. */
const mark = Date.now().toString(36)
const customer = `浏览器支付${mark}`
const CERT = '91350100M000100Y43'
const CARD = '6222021001122334458'
const MOBILE = '13900000001'
const CUSTOMER = '/Pay/customer'

/** An agent of this spec's own: the account of the default one decides what other specs see. */
let agentId = ''
test.beforeAll(async ({ request }) => {
  const body = {
    company: `支付代理${mark}`,
    contact: '陈明',
    phone: newPhone(),
    parentId: null,
    roleId: null,
    billingWay: 1,
    contractBegin: null,
    contractEnd: null,
    vehicleQuota: null,
    remark: '',
    state: 1,
  }
  const added = await call<{ agentId: string }>(request, adminKeys(), 'POST', '/platform/agent/account', body)
  expect(added.suc, JSON.stringify(added)).toBe(true)
  ;({ agentId } = added.data)
})

/** A call of the financial host. */
async function financial<Data>(
  request: APIRequestContext,
  method: 'GET' | 'PUT',
  path: string,
  content: Record<string, unknown>,
): Promise<Data> {
  const answer = (await call(request, adminKeys(), method, path, content)) as unknown as { success: boolean; data: Data }
  expect(answer.success, JSON.stringify(answer)).toBe(true)
  return answer.data
}

/** What the platform does with the account meanwhile, elsewhere. */
async function freeze(request: APIRequestContext): Promise<void> {
  const { id } = await financial<{ id: string }>(request, 'GET', `${CUSTOMER}/getAccountInfo`, { agentId })
  const { version } = await financial<{ version: number }>(request, 'GET', `${CUSTOMER}/detail`, { accountId: id })
  await financial(request, 'PUT', `${CUSTOMER}/state`, { accountId: id, version, status: 4, reason: '浏览器测试' })
}

/** Opens `path` as somebody of the platform whose financial calls concern the agent. */
async function open(page: Page, path: string): Promise<void> {
  await page.addInitScript((agent) => {
    localStorage.setItem('getAgentid', agent)
    localStorage.setItem('cashierMode', '1')
  }, agentId)
  await page.goto(at(path))
}

const menuItem = (page: Page, name: string) => page.getByRole('navigation', { name: '主菜单' }).getByText(name, { exact: true })
const stored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key)

/** The page as it stands, nothing under the pointer. */
async function expectAccessible(page: Page): Promise<void> {
  await page.mouse.move(0, 0)
  expect(await violationsOf(page)).toEqual([])
}

/** Opens the menu at the person's name and clicks an entry. */
async function clickEntry(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /设置菜单/ }).click()
  await page.getByRole('menuitem', { name }).click()
}

test.describe.serial('the payment account of an agent', () => {
  test('is applied for, and opens the menu when its result is registered, without a new login', async ({ page }) => {
    await open(page, '/financial/SplitBill')
    await expect(page.getByRole('heading', { name: '分账账单' })).toBeVisible()
    await expect(page.locator('.ant-steps-item-active')).toHaveText(/未开户/)
    await expect(menuItem(page, '账户管理')).toHaveCount(0)
    await page.getByLabel('统一社会信用代码').fill('91350100M000100Y34')
    await page.getByRole('button', { name: '提交开户申请' }).click()
    await expect(page.getByText('校验位不正确')).toBeVisible()
    await expect(page.getByText('请输入联系手机')).toBeVisible()
    await expectAccessible(page)
    await page.getByLabel('企业名称').fill(customer)
    await page.reload()
    await expect(page.getByText(/已恢复上次未保存的内容/)).toBeVisible()
    await expect(page.getByLabel('企业名称')).toHaveValue(customer)
    await page.getByLabel('统一社会信用代码').fill(CERT)
    await page.getByLabel('联系人').fill('陈明')
    await page.getByLabel('联系手机').fill(MOBILE)
    await page.getByRole('button', { name: '提交开户申请' }).click()
    await expect(page.getByText('开户申请审核中')).toBeVisible()
    expect(await stored(page, 'accountStatus')).toBe('1')

    await page.getByRole('button', { name: '登记开户结果' }).click()
    await expectAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: '登记结果' }).click()
    await expect(page.getByText('开户结果已登记')).toBeVisible()
    await expect(page.locator('.ant-steps-item-active')).toHaveText(/正常/)
    await expect(menuItem(page, '账户管理')).toBeVisible()
    expect(await stored(page, 'accountStatus')).toBe('2')
    expect(await stored(page, 'accountLevel')).toBe('2')
    await page.getByRole('tab', { name: '分账明细' }).click()
    await expect(page.getByText('这个页面还没有建成')).toBeVisible()

    await menuItem(page, '账户管理').click()
    await expect.poll(() => hashOf(page)).toBe('/financial/AccountManager')
    await expect(badge(page)).toHaveText('实时')
    await page.getByLabel('关键词').fill(customer)
    await page.getByLabel('关键词').press('Enter')
    await expect(page.getByRole('row').filter({ hasText: mark })).toHaveCount(1)
    await expect(rowOf(page, customer)).toContainText('139****0001')
    await expectAccessible(page)
    await rowOf(page, customer).click()
    const drawer = page.getByRole('dialog', { name: customer })
    await expect(drawer).toContainText('**************0Y43')
    await expect(drawer.getByRole('button', { name: '冻结' })).toBeVisible()
    await expect(page.locator('body')).not.toContainText(CERT)
    await expectAccessible(page)
  })

  test('STORE-013 STORE-014 a card is bound with the code of its mobile; number and mobile are kept while it is', async ({ page }) => {
    await open(page, '/financial/SplitBill')
    await page.getByRole('button', { name: '绑定银行卡' }).click()
    const drawer = page.getByRole('dialog')
    await drawer.getByLabel('银行卡号').pressSequentially(CARD)
    await expect(drawer.getByLabel('银行卡号')).toHaveValue('6222 0210 0112 2334 458')
    await drawer.getByLabel('银行卡号').press('Home')
    await page.keyboard.press('Delete')
    await expect(drawer.getByLabel('银行卡号')).toHaveValue('2220 2100 1122 3344 58')
    await page.keyboard.type('6')
    await expect(drawer.getByLabel('银行卡号')).toHaveValue('6222 0210 0112 2334 458')
    // Nor does the caret run away from somebody who types fast.
    for (let times = 0; times < 5; times += 1) {
      await drawer.getByLabel('银行卡号').press('Home')
      await page.keyboard.press('Delete')
      await page.keyboard.type('6')
    }
    await expect(drawer.getByLabel('银行卡号')).toHaveValue('6222 0210 0112 2334 458')
    await drawer.getByLabel('开户银行').fill('招商银行')
    await drawer.getByLabel('持卡人', { exact: true }).fill(customer)
    await drawer.getByLabel('持卡人证件号').fill(CERT)
    await drawer.getByLabel('银行预留手机号').fill(MOBILE)
    await expectAccessible(page)
    await drawer.getByRole('button', { name: '获取验证码' }).click()
    await expect(drawer.getByRole('button', { name: /重新发送\(\d+s\)/ })).toBeDisabled()
    expect(await stored(page, 'cardNo')).toBe(CARD)
    expect(await stored(page, 'bankMobile')).toBe(MOBILE)
    await expectAccessible(page)

    // A reload forgets nothing that is needed to go on.
    await page.reload()
    await page.getByRole('button', { name: '输入验证码' }).click()
    await drawer.getByLabel('验证码').fill(smsCode() === '000000' ? '000001' : '000000')
    await drawer.getByRole('button', { name: '确认绑定' }).click()
    await expect(page.getByText('验证码错误')).toBeVisible()
    await drawer.getByLabel('验证码').fill(smsCode())
    await drawer.getByRole('button', { name: '确认绑定' }).click()
    await expect(page.getByText('银行卡已绑定')).toBeVisible()
    await expect(drawer).toHaveCount(0)
    await expect(page.locator('.pay-card')).toContainText('**** **** **** 4458')
    await expect(page.locator('.pay-card')).toContainText('已绑定')
    await expect(page.locator('body')).not.toContainText(CARD)
    expect(await stored(page, 'cardNo')).toBe(CARD)
    expect(await stored(page, 'bankMobile')).toBe(MOBILE)
  })

  test('API-031 API-032 the payment password is set on a page of its own tab, whose link the call type asks for', async ({ page, context }) => {
    await open(page, '/financial/SplitBill')
    await expect(page.getByText('未设置')).toBeVisible()
    const asked = page.waitForRequest((request) => request.url().endsWith(`${CUSTOMER}/modifyPwd`))
    const opened = page.waitForEvent('popup')
    await clickEntry(page, '修改支付密码')
    const { params } = (await asked).postDataJSON() as { params: string }
    const key = (await context.cookies()).find(({ name }) => name === '_k')?.value ?? ''
    const text = await openText(fromBase64Url(decodeURIComponent(key)), `POST ${CUSTOMER}/modifyPwd`, params)
    // An account whose type is set has calls of its own.
    expect((JSON.parse(text) as { d: unknown }).d).toEqual({ callType: 'B_MODIFY' })
    const answer = await (await asked).response()
    expect(answer?.status()).toBe(200)

    const tab = await opened
    await tab.waitForURL(/\/stand-in\/pay-password\?ticket=/)
    await tab.getByRole('button', { name: '完成' }).click()
    await expect(tab.getByText('支付密码已设置')).toBeVisible()
    await tab.close()
    await expect(page.getByText('已设置', { exact: true })).toBeVisible()
  })

  test('API-033 a call that is not successful shows its words, and leaves no tab', async ({ page, context, request }) => {
    await open(page, '/financial/SplitBill')
    await expect(menuItem(page, '账户管理')).toBeVisible()
    // Somewhere that does not follow the account.
    await page.goto(at('/log'))
    await freeze(request)
    const before = context.pages().length
    await clickEntry(page, '重置支付密码')
    await expect(page.getByText('尚未开通支付账户')).toBeVisible()
    await expect.poll(() => context.pages().length).toBe(before)

    await page.goto(at('/financial/SplitBill'))
    await expect(page.getByText('账户已冻结：浏览器测试')).toBeVisible()
    await expect(menuItem(page, '账户管理')).toHaveCount(0)
    await page.getByRole('button', { name: /设置菜单/ }).click()
    await expect(page.getByRole('menuitem', { name: '退出登录' })).toBeVisible()
    await expect(page.getByRole('menuitem', { name: '重置支付密码' })).toHaveCount(0)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: '解冻' }).click()
    await page.getByLabel('原因').fill('浏览器测试结束')
    await page.getByRole('button', { name: '解冻账户' }).click()
    await expect(menuItem(page, '账户管理')).toBeVisible()
  })

  test('a card is let go when the platform agrees, and is kept no longer', async ({ page }) => {
    await open(page, '/financial/SplitBill')
    await expect(page.getByText('已绑定')).toBeVisible()
    await page.getByRole('button', { name: '申请解绑' }).click()
    await page.getByLabel('原因').fill('换卡')
    await page.getByRole('dialog').getByRole('button', { name: '申请解绑' }).click()
    await expect(page.getByText('解绑中')).toBeVisible()
    await page.getByRole('button', { name: '同意解绑' }).click()
    await page.getByRole('dialog').getByRole('button', { name: '同意解绑' }).click()
    await expect(page.getByText('已解绑')).toBeVisible()
    await expect(page.getByRole('button', { name: '绑定银行卡' })).toBeVisible()
    expect(await stored(page, 'cardNo')).toBeNull()
    expect(await stored(page, 'bankMobile')).toBeNull()
  })

  test('a person of the agent sees its account alone, does nothing of the platform, and follows what that does', async ({ browser, clean, request }) => {
    const phone = newPhone()
    const codes = ['financial', 'financial_02', 'financial_06']
    const role = await call<{ id: string }>(request, adminKeys(), 'POST', '/platform/permission/role', { name: `财务${mark}`, remark: '', codes })
    const person = { phone, name: '财务人员', level: 2, roleIds: [role.data.id], agentIds: [agentId] }
    const added = await call(request, adminKeys(), 'POST', '/platform/permission/user', person)
    expect(added.suc, JSON.stringify(added)).toBe(true)
    const context = await browser.newContext({ storageState: { cookies: [], origins: [] } })
    clean(context)
    const page = await context.newPage()
    await enterByLink(page, request, phone)
    expect(await stored(page, 'getAgentid')).toBe(agentId)
    expect(await stored(page, 'accountStatus')).toBe('2')

    await page.goto(at('/financial/AccountManager'))
    await expect(rowOf(page, customer)).toBeVisible()
    await expect(page.locator('tbody tr.row-link')).toHaveCount(1)
    await rowOf(page, customer).click()
    await expect(page.getByRole('dialog', { name: customer })).toContainText('已解绑')
    await expect(page.getByRole('group', { name: '平台操作' })).toHaveCount(0)
    await page.goto(at('/financial/SplitBill'))
    await expect(page.getByRole('button', { name: '绑定银行卡' })).toBeVisible()
    await expect(page.getByRole('group', { name: '平台操作' })).toHaveCount(0)
    await expect(menuItem(page, '账户管理')).toBeVisible()
    await expect(badge(page)).toHaveText('实时')

    await freeze(request)
    await expect(page.getByText('账户已冻结：浏览器测试')).toBeVisible()
    await expect(menuItem(page, '账户管理')).toHaveCount(0)
    await context.close()
  })
})

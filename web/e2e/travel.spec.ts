/**
 * How calls travel: what the network sees of a real login and of pages. The page is opened under the name `localhost`,
 * whose web configuration names the same server's other address as financial and as device host (`cargo xtask stack`).
 */
import type { BrowserContext, Page } from '@playwright/test'
import { at, badge, expect, hashOf, requestCode, rowOf, server, smsCode, test } from './fixtures'
import { type Envelope, type Keys, newOperator, newOrigin, openedAnswer, openedRequest, type Operator, type Travelled, watchCalls } from './wire'

const BASE = '/ebike/v3/backend'
const named = (name: string) => `http://${name}:${new URL(server()).port}`

// All of it is about one login.
test.describe.configure({ mode: 'default' })

let context: BrowserContext
let page: Page
let operator: Operator
let calls: Travelled[] = []
let keys: Keys
let stored: Record<string, string> = {}

/** The one call of `path`. */
function callOf(path: string): Travelled {
  const found = calls.filter((call) => call.path === path)
  expect(found.map((call) => call.path), `calls of ${path}`).toEqual([path])
  return found[0] as Travelled
}

/** The calls from the first one of `path` on. */
const callsAfter = (path: string) => calls.slice(calls.findIndex((call) => call.path === path) + 1)

/** The calls that are made under a key. */
const keyed = () => callsAfter('/auth/verifySign').filter((call) => !call.path.startsWith('/web/'))

/** What a wrapped call said and was told. */
async function opened<Data>(path: string) {
  const call = callOf(path)
  expect(call.url.search === '' || call.body === null, path).toBe(true)
  return { ...(await openedRequest(keys, call)), answer: await openedAnswer<Envelope<Data>>(keys, call) }
}

test.beforeAll(async ({ browser, request }) => {
  operator = await newOperator(request, '通信人员', ['01', '10', '1001'])
  context = await browser.newContext()
  page = await context.newPage()
  calls = await watchCalls(page)
  await page.goto(at('/login', named('localhost')))
  await page.getByLabel('手机号').fill(operator.phone)
  await requestCode(page)
  await page.getByLabel('验证码', { exact: true }).fill(smsCode())
  await page.getByLabel('验证码', { exact: true }).press('Enter')
  await expect(page.getByText('登录成功')).toBeVisible({ timeout: 20_000 })
  await page.getByRole('button', { name: '选择代理商' }).click()
  await expect(page.getByRole('dialog').getByRole('checkbox').nth(1)).toBeVisible()
  await page.keyboard.press('Escape')
  await page.evaluate((name) => (location.hash = `/permissions/role?keyword=${encodeURIComponent(name)}`), operator.roleName)
  await expect(rowOf(page, operator.roleName)).toBeVisible()
  await expect(badge(page)).toHaveText('实时')
  await expect.poll(() => calls.filter((call) => call.answer === null && !call.takenBack).map((call) => call.path)).toEqual([])
  const cookies = await context.cookies()
  const cookie = (name: string) => decodeURIComponent(cookies.find((kept) => kept.name === name)?.value ?? '')
  stored = await page.evaluate(() => Object.fromEntries(Object.entries(localStorage)) as Record<string, string>)
  keys = { _t: cookie('_t'), _k: cookie('_k'), token: stored['Access-Token'] ?? null }
})
test.afterAll(() => context?.close())

test('API-001 main calls go to /ebike/v3/backend of the host that served the page', () => {
  const main = calls.filter((call) => !/^\/(Pay|Business|mieba)\//.test(call.url.pathname))
  expect(main.length).toBeGreaterThan(10)
  for (const { url } of main) {
    expect(url.origin, url.pathname).toBe(named('localhost'))
    expect(url.pathname.startsWith(`${BASE}/`), url.pathname).toBe(true)
  }
})

test('API-002 after the login requests carry the signed token as bearer, before it nothing', () => {
  const after = callsAfter('/platform/permission/login')
  expect(after.length).toBeGreaterThan(5)
  for (const { headers, path } of after) expect(headers.authorization, path).toBe(`Bearer ${keys.token}`)
  for (const { headers, path } of calls.slice(0, calls.length - after.length)) expect(headers.authorization, path).toBeUndefined()
  const head = JSON.parse(Buffer.from(keys.token?.split('.')[0] ?? '', 'base64url').toString()) as { alg: string }
  expect(head.alg).toBe('EdDSA')
})

test('API-003 requests carry the cookie _t as header _t as soon as there is one', () => {
  const after = callsAfter('/auth/verifySign')
  expect(keys._t).not.toBe('')
  for (const { headers, path } of after) expect(headers._t, path).toBe(keys._t)
  for (const { headers, path } of calls.slice(0, calls.length - after.length)) expect(headers._t, path).toBeUndefined()
})

test('API-004 API-006 a query travels as one box under params that opens with the cookie _k', async () => {
  const queries = keyed().filter((call) => call.method === 'GET')
  expect(queries.length).toBeGreaterThan(5)
  for (const call of queries) {
    expect(call.url.search, call.path).toMatch(/^\?params=[\w-]{40,}$/)
    expect((await openedRequest(keys, call)).query, call.path).toEqual(expect.any(Object))
  }
  expect((await opened('/platform/permission/allCode')).query).toEqual({ opManId: operator.phone })
  const list = calls.filter((call) => call.path === '/platform/permission/role').at(-1) as Travelled
  expect((await openedRequest(keys, list)).query).toMatchObject({ keyword: operator.roleName })
})

test('API-005 API-006 a body travels as one box under params that opens with the cookie _k', async () => {
  const commands = keyed().filter((call) => call.method === 'POST')
  expect(commands.length).toBeGreaterThan(3)
  for (const call of commands) {
    expect(Object.keys(JSON.parse(call.body ?? '') as object), call.path).toEqual(['params'])
    expect(call.body, call.path).not.toContain(operator.phone)
  }
  const verified = await openedRequest(keys, callOf('/auth/sms/verify'))
  expect(verified.body).toEqual({ mobilePhoneNumber: operator.phone, smsCode: smsCode() })
  const login = calls.find((call) => call.path === '/platform/permission/login') as Travelled
  expect((await openedRequest(keys, login)).body).toEqual({ opManId: operator.phone })
})

test('API-007 an answer travels as a box, and the page shows what is in it', async () => {
  const list = calls.filter((call) => call.path === '/platform/permission/role').at(-1) as Travelled
  expect(list.answer).toMatch(/^\{"params":"[\w-]+"\}$/)
  const { data } = await openedAnswer<Envelope<{ rows: { name: string }[] }>>(keys, list)
  expect(data.rows.map((row) => row.name)).toEqual([operator.roleName])
  await expect(rowOf(page, operator.roleName)).toBeVisible()
})

test('API-009 API-010 API-011 API-012 a financial call goes to its own host with phone, agentId and traceId', () => {
  const { url, headers, readable } = callOf('/Pay/customer/getAccountInfo')
  expect(url.origin).toBe(server())
  expect(url.origin).not.toBe(new URL(page.url()).origin)
  expect(url.pathname).toBe('/Pay/customer/getAccountInfo')
  expect(headers.phone).toBe(operator.phone)
  expect(headers.agentid).toBe(stored.getAgentid)
  expect(headers.traceid).toMatch(/^[\w-]{1,64}$/)
  expect(calls.filter((call) => call.headers.traceid === headers.traceid)).toHaveLength(1)
  // Of another origin's answer a page reads only the headers that the server exposes.
  expect(readable.traceid).toBe(headers.traceid)
  expect(Date.parse(readable.date ?? '')).toBeGreaterThan(0)
  const others = calls.filter((call) => !call.url.pathname.startsWith('/Pay/'))
  for (const call of others) expect([call.headers.phone, call.headers.agentid], call.path).toEqual([undefined, undefined])
})

test('API-014 the device verification goes to its own host', () => {
  const { url, answer } = callOf('/mieba/platform/opman/device/verification')
  expect(url.origin).toBe(server())
  expect(url.origin).not.toBe(new URL(page.url()).origin)
  expect(JSON.parse(answer ?? '')).toMatchObject({ suc: true })
})

test('API-017 the SMS request carries the app id of the web configuration', () => {
  expect(callOf('/auth/sms/code').headers['x-app-id']).toBe('browser-tests-app')
})

test('API-025 AMB-054 after the login the customer-service tool learns name, phone, company and objectId', async () => {
  const { body, answer } = await opened('/platform/permission/user/bangwo8')
  expect(body).toEqual({ name: '通信人员', phone: operator.phone, company: '惠行出行', objectId: stored.objectId })
  expect(answer.suc).toBe(true)
  expect(callsAfter('/Pay/customer/getAccountInfo')).toContain(callOf('/platform/permission/user/bangwo8'))
})

test('API-026 the agent lookup sends apiKey and domain and returns the agentId that is kept', async () => {
  const { query, answer } = await opened<{ agentId: string }>('/platform/agent/byApiKey')
  expect(query).toEqual({ apiKey: 'browser-tests', domain: 'localhost' })
  expect(answer).toMatchObject({ suc: true, data: { agentId: expect.stringMatching(/^\d+$/) } })
  expect(stored.getAgentid).toBe(answer.data.agentId)
})

test('API-027 the billing-way call sends agentId and returns the billingWay that is kept', async () => {
  const { query, answer } = await opened<{ billingWay: number }>('/platform/agent/billingWay')
  expect(query).toEqual({ agentId: stored.getAgentid })
  expect(answer).toMatchObject({ suc: true, data: { billingWay: expect.any(Number) } })
  expect(stored.cashierMode).toBe(String(answer.data.billingWay))
})

test('API-028 the account-info call returns success and data', async () => {
  const answer = await openedAnswer<object>(keys, callOf('/Pay/customer/getAccountInfo'))
  expect(answer).toHaveProperty('success', true)
  expect(answer).toHaveProperty('data')
})

test('API-029 the area list of the first load returns list and count', async () => {
  const { answer } = await opened<{ list: object[]; count: number }>('/platform/agent/serviceArea/opMan')
  expect(answer.suc).toBe(true)
  expect(answer.data.list.length).toBeGreaterThan(0)
  expect(answer.data.count).toBeGreaterThanOrEqual(answer.data.list.length)
})

test('API-030 the agent selector is filled by the rows of the agent list', async () => {
  const { answer } = await opened<{ rows: { company: string }[] }>('/platform/agent/account/list')
  expect(answer.suc).toBe(true)
  // One that no other spec takes away.
  const company = answer.data.rows.map((row) => row.company).find((name) => name.endsWith('轻骑出行')) ?? ''
  expect(company).not.toBe('')
  await page.getByRole('button', { name: '选择代理商' }).click()
  await expect(page.getByRole('dialog').getByText(company, { exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
})

test.describe('a chat script of another origin', () => {
  /** Answers in the place of a customer-service company. */
  async function openChat(there: Page, origin: string, name: string): Promise<void> {
    const widget = `window.customerChat = { open() {
      const frame = document.createElement('iframe'); frame.src = '${origin}/room'; document.body.append(frame)
      const style = document.createElement('link'); style.rel = 'stylesheet'; style.href = '${origin}/room.css'; document.head.append(style)
      const face = document.createElement('img'); face.src = '${origin}/face.svg'; face.alt = '客服头像'; document.body.append(face)
      fetch('${origin}/unread').then((answer) => answer.text()).then((text) => { document.body.dataset.unread = text })
    } }`
    const face = '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>'
    const served: Record<string, [string, string]> = {
      '/widget.js': ['text/javascript', widget],
      '/room': ['text/html; charset=utf-8', '<p>您好，请问有什么可以帮您？</p>'],
      '/room.css': ['text/css', 'body { --chat-styled: yes }'],
      '/face.svg': ['image/svg+xml', face],
      '/unread': ['text/plain', '3'],
    }
    await there.route(`${origin}/**`, (route) => {
      const [contentType, body] = served[new URL(route.request().url()).pathname] ?? ['text/plain', '']
      return route.fulfill({ contentType, body, headers: { 'Access-Control-Allow-Origin': '*' } })
    })
    await there.goto(at('/log', named(name)))
    await there.getByRole('button', { name: '在线客服' }).click()
  }

  test('AMB-042 is let in where the server is configured for it', async ({ clean }) => {
    clean(context)
    const there = await context.newPage()
    await openChat(there, 'https://chat.example.com', 'localhost')
    await expect(there.frameLocator('iframe').getByText('您好，请问有什么可以帮您？')).toBeVisible()
    await expect(there.locator('body')).toHaveAttribute('data-unread', '3')
    await expect(there.locator('body')).toHaveCSS('--chat-styled', 'yes')
    const width = () => there.getByAltText('客服头像').evaluate((face: HTMLImageElement) => face.naturalWidth)
    await expect.poll(width).toBe(4)
    await there.close()
  })

  test.describe('elsewhere', () => {
    test.use({ allowed: [/blocked by CORS policy|net::ERR_FAILED|Content Security Policy/] })

    test('AMB-065 AMB-042 is kept out; and an account host that does not know the page fails the account info, not the login', async ({
      page: there,
      request,
    }) => {
      const link = `/login?origin=${encodeURIComponent(await newOrigin(request, operator.phone))}`
      const watched = await watchCalls(there)
      await there.goto(at(link, named('no-finance.localhost')))
      await expect(there.getByText('登录成功')).toBeVisible({ timeout: 15_000 })
      await expect(there.getByText('开户信息获取失败')).toBeVisible()
      const asked = watched.find((call) => call.path === '/Pay/customer/getAccountInfo')
      expect([asked?.url.origin, asked?.answer]).toEqual([server(), null])
      await openChat(there, 'https://strange.example.com', 'no-finance.localhost')
      await expect(there.getByRole('dialog', { name: '在线客服' })).toContainText('客服程序未能加载')
      expect(await there.evaluate(() => 'customerChat' in window)).toBe(false)
    })
  })
})

test.describe('a device host that is none of the system', () => {
  test.use({ allowed: [/Content Security Policy/] })

  test('ERR-026 FLOW-009 fails the login with its words, and does not hang', async ({ page: there }) => {
    const watched = await watchCalls(there)
    await there.goto(at('/login', named('no-device.localhost')))
    await there.getByLabel('手机号').fill(operator.phone)
    await there.getByLabel('验证码', { exact: true }).fill('000000')
    await there.getByLabel('验证码', { exact: true }).press('Enter')
    await expect(there.getByText('设备授权失败，请检查网络')).toBeVisible({ timeout: 5000 })
    expect(hashOf(there)).toBe('/login')
    expect(watched.filter((call) => call.path.startsWith('/auth/'))).toEqual([])
    expect(await there.evaluate(() => localStorage.getItem('Access-Token'))).toBeNull()
  })
})

/** Riders: found in the list, looked at in whole on record, frozen, given money; and the page of one of them. */
import { type APIRequestContext, type APIResponse, type Page, request } from '@playwright/test'
import { violationsOf } from './axe'
import { at, expect, machineToken, masked, rowOf, server, SIGNED_IN, test, WORKER } from './fixtures'

test.use({ storageState: SIGNED_IN })

interface Program {
  http: APIRequestContext
  areaId: string
}

interface Rider {
  userId: string
  phone: string
  idNo: string
}

/** Riders that were made: each has a phone and an identity number of his own. */
let riders = 0
const drawer = (page: Page) => page.locator('.ant-drawer-open').first()
const dialog = (page: Page, name: RegExp) => page.getByRole('dialog', { name })

async function told(answer: APIResponse): Promise<Record<string, unknown>> {
  const body = (await answer.json()) as { suc: boolean; data: Record<string, unknown> }
  expect(body.suc, JSON.stringify(body)).toBe(true)
  return body.data
}

/** A rider's program, with a service area of its own. */
async function program(): Promise<Program> {
  const http = await request.newContext({ baseURL: server(), extraHTTPHeaders: { Authorization: `Bearer ${machineToken()}` } })
  const [lat, lng] = [24.312 - WORKER * 0.012 + Math.random() / 10_000, 119.711]
  const post = async (path: string, data: unknown) => told(await http.post(path, { data }))
  const { agentId } = await post('/open/v1/agents', { company: '用户列表测试公司', contactName: '陈伟', phone: `139000${WORKER}9912`, billingWay: 0 })
  const ring = [
    [lng - 0.005, lat - 0.005],
    [lng + 0.005, lat - 0.005],
    [lng + 0.005, lat + 0.005],
    [lng - 0.005, lat + 0.005],
  ]
  const { areaId } = await post('/open/v1/areas', { agentId, name: `用户列表区 ${lat.toFixed(6)}`, ring, tel: '05920000000' })
  await post(`/open/v1/areas/${String(areaId)}/open`, {})
  return { http, areaId: String(areaId) }
}

/** An identity number with its check digit. */
function idNoOf(number: number): string {
  const first = `35020319910307${String(number % 1000).padStart(3, '0')}`
  const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
  const sum = weights.reduce((all, weight, index) => all + Number(first[index]) * weight, 0)
  return first + '10X98765432'[sum % 11]
}

/** Somebody who has proved who he is. */
async function come({ http, areaId }: Program): Promise<Rider> {
  riders += 1
  const number = (Date.now() % 10_000_000) * 8 + WORKER * 4 + riders
  const phone = `134${String(number % 100_000_000).padStart(8, '0')}`
  const { userId } = await told(await http.post('/open/v1/rider/register', { data: { opAreaId: areaId, phone, channel: 1 } }))
  const idNo = idNoOf(number)
  await told(await http.post('/open/v1/rider/verify', { data: { userId, name: '林晓燕', idNo } }))
  return { userId: String(userId), phone, idNo }
}

async function topUp(page: Page, amount: string, gift: string) {
  await page.getByRole('button', { name: '人工充值' }).click()
  const asked = dialog(page, /^人工充值「/)
  await asked.getByLabel('充值金额（元）').fill(amount)
  await asked.getByLabel('赠送金额（元）').fill(gift)
  await asked.getByLabel('原因').fill('线下转账补录')
  await asked.getByRole('button', { name: '下一步' }).click()
  await expect(asked).toContainText('→')
  await asked.getByRole('button', { name: '确认入账' }).click()
}

test('ROUTE-018 a rider is found masked, shown in whole on record, and frozen', async ({ page }) => {
  const rider = await come(await program())
  await page.goto(at(`/user-info?keyword=${rider.phone}`))
  const row = rowOf(page, masked(rider.phone))
  await expect(row).toContainText('林**')
  await expect(page.locator('#content')).not.toContainText(rider.phone)
  await row.click()
  await drawer(page).getByRole('button', { name: '查看手机号' }).click()
  await page.getByRole('button', { name: '查看并记录' }).click()
  await expect(drawer(page)).toContainText(rider.phone)
  await expect(drawer(page), 'one at a time').not.toContainText(rider.idNo)
  expect(await violationsOf(page)).toEqual([])
  await drawer(page).getByRole('button', { name: '冻结账户' }).click()
  const question = dialog(page, /冻结账户「/)
  await question.getByLabel('冻结原因').fill('多次投诉')
  await question.getByRole('button', { name: '冻结账户' }).click()
  await expect(page.getByText('账户状态已更新')).toBeVisible()
  await expect(drawer(page).getByRole('button', { name: '解冻账户' })).toBeVisible()
})

test('ROUTE-117 API-076 the page of a rider has no frame, and money put into his wallet stands in its entries', async ({ page }) => {
  const rider = await come(await program())
  await page.goto(at(`/user-info-detail?userId=${rider.userId}`))
  await expect(page.getByRole('heading', { level: 1 }).first()).toContainText(masked(rider.phone))
  await expect(page.getByRole('menu')).toHaveCount(0)
  await topUp(page, '20.00', '5.00')
  await expect(page.getByText('已入账，余额 25.00 元')).toBeVisible()
  await page.getByRole('tab', { name: '钱包流水' }).click()
  const entry = page.getByRole('row', { name: /人工充值/ })
  await expect(entry).toContainText('+20.00')
  await expect(entry).toContainText('25.00')
  expect(await violationsOf(page)).toEqual([])
  for (const tab of ['卡与会员', '押金', '操作记录']) {
    await page.getByRole('tab', { name: tab }).click()
    await expect(page.getByRole('tab', { name: tab })).toHaveAttribute('aria-selected', 'true')
  }
  await expect(page.getByText('人工充值').first(), 'it stands in his history').toBeVisible()
  // More than the usual limit takes two.
  await topUp(page, '600.00', '')
  await expect(page.getByText('已提交复核，由另一位同事同意后入账')).toBeVisible()
})

test('ROUTE-117 an address without a rider says so', async ({ page }) => {
  await page.goto(at('/user-info-detail'))
  await expect(page.getByText('地址中缺少用户编号')).toBeVisible()
})

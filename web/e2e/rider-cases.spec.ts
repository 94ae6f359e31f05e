/** Cases of riders: certifications and rebindings decided one after the other by keyboard, and the blacklist. */
import { type APIRequestContext, type APIResponse, type Page, request } from '@playwright/test'
import { violationsOf } from './axe'
import { at, expect, machineToken, rowOf, server, SIGNED_IN, test, WORKER } from './fixtures'

test.use({ storageState: SIGNED_IN })

/** Areas that were made. */
let made = 0
/** Riders that were made: each has a phone and an identity number of his own. */
let riders = 0

interface Program {
  http: APIRequestContext
  areaId: string
}

interface Rider {
  userId: string
  phone: string
}

async function told(answer: APIResponse): Promise<Record<string, unknown>> {
  const body = (await answer.json()) as { suc: boolean; data: Record<string, unknown> }
  expect(body.suc, JSON.stringify(body)).toBe(true)
  return body.data
}

/** A rider's program, with a service area of its own. */
async function program(): Promise<Program> {
  const http = await request.newContext({ baseURL: server(), extraHTTPHeaders: { Authorization: `Bearer ${machineToken()}` } })
  const [lat, lng] = [24.412 - WORKER * 0.012 + Math.random() / 10_000, 119.711 + made * 0.011]
  made += 1
  const post = async (path: string, data: unknown) => told(await http.post(path, { data }))
  const { agentId } = await post('/open/v1/agents', { company: '用户审核测试公司', contactName: '陈伟', phone: `139000${WORKER}9911`, billingWay: 0 })
  const ring = [
    [lng - 0.005, lat - 0.005],
    [lng + 0.005, lat - 0.005],
    [lng + 0.005, lat + 0.005],
    [lng - 0.005, lat + 0.005],
  ]
  const { areaId } = await post('/open/v1/areas', { agentId, name: `用户审核区 ${lat.toFixed(6)} ${lng.toFixed(6)}`, ring, tel: '05920000000' })
  await post(`/open/v1/areas/${String(areaId)}/open`, {})
  return { http, areaId: String(areaId) }
}

/** An identity number with its check digit. */
function idNo(number: number): string {
  const first = `3502031990${String(1 + (number % 12)).padStart(2, '0')}${String(1 + (Math.floor(number / 12) % 28)).padStart(2, '0')}${String(Math.floor(number / 336) % 1000).padStart(3, '0')}`
  const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
  const sum = weights.reduce((all, weight, index) => all + Number(first[index]) * weight, 0)
  return first + '10X98765432'[sum % 11]
}

/** Somebody who has proved who he is. */
async function come({ http, areaId }: Program, name: string): Promise<Rider> {
  riders += 1
  const number = (Date.now() % 10_000_000) * 8 + WORKER * 4 + riders
  const phone = `135${String(number % 100_000_000).padStart(8, '0')}`
  const { userId } = await told(await http.post('/open/v1/rider/register', { data: { opAreaId: areaId, phone, channel: 1 } }))
  await told(await http.post('/open/v1/rider/verify', { data: { userId, name, idNo: idNo(number) } }))
  return { userId: String(userId), phone }
}

async function photoOf({ http }: Program, page: Page, { userId }: Rider): Promise<unknown> {
  const data = await page.screenshot({ type: 'jpeg' })
  const { attachmentId } = await told(await http.post(`/open/v1/attachments?userPin=${userId}`, { data, headers: { 'Content-Type': 'image/jpeg' } }))
  return attachmentId
}

async function certify(by: Program, page: Page, rider: Rider, organisation: string) {
  const photoIds = [await photoOf(by, page, rider)]
  const data = { userId: rider.userId, kind: 1, organisation, certNo: '20260012345', photoIds }
  return told(await by.http.post('/open/v1/rider/certification', { data }))
}

const queue = (page: Page) => page.getByRole('region', { name: '待办队列' })
const opened = (page: Page) => page.locator('.review-case')

test('ROUTE-019 certifications are decided one after the other by keyboard', async ({ page }) => {
  const by = await program()
  await page.goto(at('/user-manage/student-certificate'))
  await expect(page.getByRole('heading', { name: '职业认证列表' })).toBeVisible()
  const stamp = Date.now() % 1_000_000
  const schools = ['东校区', '南校区', '西校区', '北校区'].map((campus) => `${campus} ${stamp}`) as [string, string, string, string]
  const people = []
  for (const [index, school] of schools.entries()) {
    // oxlint-disable-next-line no-await-in-loop -- each comes after the one before
    const rider = await come(by, ['赵一', '钱二', '孙三', '李四'][index] ?? '')
    // oxlint-disable-next-line no-await-in-loop -- the oldest stands first
    const { certificationId } = await certify(by, page, rider, school)
    people.push({ rider, certificationId })
  }
  await page.goto(at(`/user-manage/student-certificate?opAreaId=${by.areaId}`))

  // The one that waits the longest is open; J and K walk.
  await expect(opened(page)).toContainText(schools[0])
  await expect(queue(page).locator('.review-entry')).toHaveCount(4)
  await expect(queue(page).getByRole('tab', { name: /待审核/ })).toContainText('4')
  await page.keyboard.press('j')
  await expect(opened(page)).toContainText(schools[1])
  await page.keyboard.press('k')
  await expect(opened(page)).toContainText(schools[0])
  const photo = opened(page).getByRole('img', { name: '证件正面' })
  await expect.poll(() => photo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(1000)
  await expect(opened(page)).toContainText('135****')
  expect(await violationsOf(page)).toEqual([])
  await opened(page).getByRole('button', { name: '查看完整信息' }).click()
  await page.getByRole('button', { name: '查看并记录' }).click()
  await expect(opened(page)).toContainText(people[0]!.rider.phone)

  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: '快捷键' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toHaveCount(0)

  // Passed, the next one is there; rejected, with a phrase.
  await page.keyboard.press('a')
  await expect(page.getByText('已通过', { exact: true }).first()).toBeVisible()
  await expect(opened(page)).toContainText(schools[1])
  await page.keyboard.press('r')
  const why = page.getByRole('dialog', { name: /^驳回「钱\*/ })
  await expect(why.getByRole('button', { name: '驳回', exact: true })).toBeDisabled()
  await why.getByRole('button', { name: '照片模糊，请重新拍摄' }).click()
  await why.getByLabel('驳回原因').press('Control+Enter')
  await expect(opened(page)).toContainText(schools[2])

  // Its rider takes it back before it is decided here: it is told, and nothing is decided twice.
  const { rider, certificationId } = people[2]!
  await told(await by.http.post('/open/v1/rider/certification/cancel', { data: { userId: rider.userId, certificationId } }))
  await page.keyboard.press('a')
  await expect(page.getByText(/取消，未重复处理/).or(opened(page).getByText('已取消')).first()).toBeVisible()
  await expect(queue(page).locator('.review-entry')).toHaveCount(1)
  await queue(page).getByRole('tab', { name: /未通过/ }).click()
  await expect(opened(page)).toContainText('照片模糊，请重新拍摄')
  await expect(opened(page).getByRole('button', { name: '通过', exact: true })).toBeDisabled()
})

test('ROUTE-021 a rebinding to a phone that is taken tells the reviewer why', async ({ page }) => {
  const by = await program()
  const [rider, neighbour] = [await come(by, '周五'), await come(by, '吴六')]
  await page.goto(at(`/bindcard-list?opAreaId=${by.areaId}`))
  const rebind = async (phone: string) => {
    const photoIds = [await photoOf(by, page, rider)]
    return told(await by.http.post('/open/v1/rider/rebinding', { data: { userId: rider.userId, kind: 1, phone, photoIds } }))
  }
  await rebind(neighbour.phone)
  await page.reload()
  await expect(opened(page).getByRole('group', { name: '现在' })).toContainText(`${rider.phone.slice(0, 3)}****${rider.phone.slice(7)}`)
  await expect(opened(page).getByRole('group', { name: '通过后' })).toContainText(`${neighbour.phone.slice(0, 3)}****${neighbour.phone.slice(7)}`)
  await page.keyboard.press('a')
  await expect(page.getByText('该手机号已注册')).toBeVisible()
  await page.keyboard.press('r')
  const why = page.getByRole('dialog', { name: /^驳回「周\*/ })
  await why.getByRole('button', { name: '新手机号已被其他用户使用' }).click()
  await why.getByRole('button', { name: '驳回', exact: true }).click()
  await expect(queue(page)).toContainText('没有')
  await rebind(`158${rider.phone.slice(3)}`)
  await page.reload()
  await expect(opened(page).getByRole('group', { name: '通过后' })).toContainText('158****')
  expect(await violationsOf(page)).toEqual([])
  await page.keyboard.press('a')
  await expect(queue(page)).toContainText('没有')
  const account = await told(await by.http.get(`/open/v1/rider/account?userId=${rider.userId}`))
  expect(account.phone).toBe(`158****${rider.phone.slice(7)}`)
})

test('ROUTE-020 a rider is put on the blacklist and let off again', async ({ page }) => {
  const by = await program()
  const rider = await come(by, '郑七')
  await page.goto(at(`/black-list?opAreaId=${by.areaId}`))
  await page.getByRole('button', { name: '加入黑名单' }).first().click()
  const form = page.locator('.ant-drawer-open').last()
  await form.getByRole('combobox', { name: '用户' }).fill(rider.phone)
  await page.locator('.ant-select-item-option').filter({ hasText: '郑' }).click()
  await form.getByLabel('拉黑原因').fill('多次在禁停区还车')
  await form.getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('已加入黑名单')).toBeVisible()
  const row = rowOf(page, '多次在禁停区还车')
  await expect(row).toContainText('生效中')
  await row.click()
  const drawer = page.locator('.ant-drawer-open').first()
  await expect(drawer).toContainText('永久')
  expect(await violationsOf(page)).toEqual([])
  await drawer.locator('input[type="file"]').setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer: await page.screenshot({ type: 'jpeg' }) })
  await expect(drawer.getByRole('img', { name: '证据 1' })).toBeVisible()
  await page.keyboard.press('Escape')
  await row.getByRole('checkbox').check()
  await page.getByRole('button', { name: '批量解除' }).click()
  const question = page.getByRole('dialog', { name: /^批量解除/ })
  await question.getByLabel('解除原因').fill('申诉成立')
  await question.getByRole('button', { name: '批量解除' }).click()
  await expect(row).toContainText('已解除')
  const account = await told(await by.http.get(`/open/v1/rider/account?userId=${rider.userId}`))
  expect(account.accountState).toBe(0)
})

/** Station applications: handed in by a rider's program, decided one after the other, built as parking places. */
import { request, type APIRequestContext, type APIResponse, type Page } from '@playwright/test'
import { violationsOf } from './axe'
import { at, expect, machineToken, rowOf, server, SIGNED_IN, test, WORKER } from './fixtures'

test.use({ storageState: SIGNED_IN })

const PAGE = '/data/park-application'
/** Of a degree of latitude about 11 m. */
const STEP = 0.0001
const drawer = (page: Page) => page.locator('.ant-drawer-open').first()
const form = (page: Page) => page.locator('.ant-drawer-open').last()

/** A rider's program, with a service area of its own for the riders to ask in. */
interface Program {
  http: APIRequestContext
  areaId: string
  lat: number
  lng: number
}

async function told(answer: APIResponse): Promise<Record<string, unknown>> {
  const body = (await answer.json()) as { suc: boolean; data: Record<string, unknown> }
  expect(body.suc, JSON.stringify(body)).toBe(true)
  return body.data
}

/** In the square kilometre of this number, which is one test's alone. */
async function program(square: number): Promise<Program> {
  const http = await request.newContext({ baseURL: server(), extraHTTPHeaders: { Authorization: `Bearer ${machineToken()}` } })
  // Beside the city's districts: where areas overlap the smaller one holds the place, and the maps of other tests stay as near as
  // they are. A test that is tried again goes on to the square beside.
  const { retry, repeatEachIndex } = test.info()
  const [lat, lng] = [24.512 - square * 0.012, 119.711 + (retry + repeatEachIndex) * 0.011]
  const post = async (path: string, data: unknown) => told(await http.post(path, { data }))
  const { agentId } = await post('/open/v1/agents', { company: '站点申请测试公司', contactName: '陈伟', phone: `139000${WORKER}9910`, billingWay: 0 })
  const ring = [
    [lng - 0.005, lat - 0.005],
    [lng + 0.005, lat - 0.005],
    [lng + 0.005, lat + 0.005],
    [lng - 0.005, lat + 0.005],
  ]
  const { areaId } = await post('/open/v1/areas', { agentId, name: `站点申请区 ${lat.toFixed(6)} ${lng.toFixed(6)}`, ring, tel: '05920000000' })
  await post(`/open/v1/areas/${String(areaId)}/open`, {})
  return { http, areaId: String(areaId), lat, lng }
}

/** A rider asks for a place some metres north of the middle. */
async function ask({ http, lat, lng }: Program, rider: string, location: string, steps: number, photoIds: readonly unknown[] = []) {
  const data = { userPin: rider, phone: `1370000${rider.padStart(4, '0')}`, location, lat: lat + steps * STEP, lng, remark: '附近没有停车点', photoIds }
  let answer: APIResponse | undefined
  // Refused for the moment while the areas are not read yet.
  await expect(async () => {
    answer = await http.post('/open/v1/rider/park-application', { data })
    expect(answer.status()).not.toBe(503)
  }).toPass({ timeout: 30_000 })
  return told(answer!)
}

test('ROUTE-037 applications are looked at with their photos and votes, and decided one after the other', async ({ page }) => {
  const riders = await program(0)
  await page.goto(at(`${PAGE}?opAreaId=${riders.areaId}`))
  const picture = await page.screenshot({ type: 'jpeg' })
  const { attachmentId } = await told(await riders.http.post('/open/v1/attachments?userPin=1', { data: picture, headers: { 'Content-Type': 'image/jpeg' } }))
  const stamp = Date.now() % 1_000_000
  const [first, second, third] = ['东门', '西门', '南门'].map((gate) => `${gate} ${stamp}`) as [string, string, string]
  await ask(riders, '1', first, 0, [attachmentId])
  expect((await ask(riders, '2', first, 2)).merged).toBe(true)
  await ask(riders, '3', second, 15)
  await ask(riders, '4', third, 30)
  await page.reload()

  // The newest stands first.
  await rowOf(page, third).click()
  await expect(drawer(page)).toContainText(third)
  await drawer(page).getByRole('button', { name: '下一条' }).click()
  await expect(drawer(page)).toContainText(second)
  await page.keyboard.press('ArrowDown')
  const photo = drawer(page).getByRole('img', { name: '现场照片 1' })
  await expect.poll(() => photo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(1000)
  await expect(drawer(page)).toContainText('没有拍摄位置 · 没有拍摄时间')
  await expect(drawer(page).locator('.application-map .leaflet-tooltip')).toHaveText('申请位置')
  await expect(drawer(page)).toContainText('137****0001')
  expect(await violationsOf(page)).toEqual([])
  await photo.click()
  await expect(page.locator('.ant-image-preview')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.locator('.ant-image-preview:visible')).toHaveCount(0)
  await drawer(page).getByRole('tab', { name: '附议 2' }).click()
  await expect(drawer(page).locator('.application-votes li')).toHaveText([/137\*\*\*\*0001\s*申请/, /137\*\*\*\*0002\s*附议/])
  await drawer(page).getByRole('button', { name: '上一条' }).click()
  await drawer(page).getByRole('button', { name: '上一条' }).click()
  await expect(drawer(page)).toContainText(third)

  // By letters: one is accepted, and the next one is there to be rejected, with a reason.
  await page.keyboard.press('a')
  await expect(page.getByText('申请已通过')).toBeVisible()
  await expect(drawer(page)).toContainText(second)
  await page.keyboard.press('r')
  const question = page.getByRole('dialog', { name: `驳回申请「${second}」？` })
  await expect(question.getByRole('button', { name: '驳回申请' })).toBeDisabled()
  await question.getByLabel('驳回原因').fill('离学校大门太近，会堵住路')
  await question.getByRole('button', { name: '驳回申请' }).click()
  await expect(page.getByText('申请已驳回')).toBeVisible()
  await expect(drawer(page)).toContainText(first)
  await page.keyboard.press('Escape')
  await expect(rowOf(page, third)).toContainText('已通过')
  await expect(rowOf(page, second)).toContainText('已驳回')
  await expect(rowOf(page, first)).toContainText('待处理')

  // What is decided is not decided again, and says why.
  await rowOf(page, second).click()
  await expect(drawer(page)).toContainText('处理意见：离学校大门太近，会堵住路')
  await expect(drawer(page).getByRole('button', { name: '通过', exact: true })).toBeDisabled()
  await expect(drawer(page).getByRole('button', { name: '通过并建站' })).toHaveAttribute('title', '申请已驳回')
})

test('ROUTE-037 an application is approved by drawing its parking place', async ({ page }) => {
  const riders = await program(1)
  const location = `北门 ${Date.now() % 1_000_000}`
  await ask(riders, '5', location, 0)
  await page.goto(at(`${PAGE}?opAreaId=${riders.areaId}`))
  await rowOf(page, location).click()
  await drawer(page).getByRole('button', { name: '通过并建站' }).click()
  await expect(form(page)).toContainText(`通过并建站：${location}`)
  await expect(form(page).getByLabel('名称', { exact: true })).toHaveValue(location)
  await expect(form(page).locator('.fence-draw-map .map-view')).toBeVisible()
  await form(page).getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('草稿已保存，发布后生效')).toBeVisible()
  await expect(drawer(page)).toContainText('已建站')
  await page.keyboard.press('Escape')
  await expect(rowOf(page, location)).toContainText('已建站')
  await page.goto(at(`/electronic/parking-fence?keyword=${encodeURIComponent(location)}`))
  await expect(rowOf(page, location)).toContainText('草稿')
})

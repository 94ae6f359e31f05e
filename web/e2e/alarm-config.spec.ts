/** Where alarms begin is said on a page: switched off, the alarm of a theft ends by itself; rolled back, the next theft rings. */
import type { APIRequestContext, Page } from '@playwright/test'
import { violationsOf } from './axe'
import { fitsEverywhere, settled } from './built'
import { at, expect, SIGNED_IN, test, WORKER } from './fixtures'
import { machine, told } from './rides'
import type { Beside } from './keeping'
import { theft } from './theft'
import { adminKeys, call } from './wire'

test.use({ storageState: SIGNED_IN })

const MOVED = '2'
const [OPEN, RECOVERED] = [0, 2]

/** An area of its own, beside the city's districts, so that nobody else's bikes are judged otherwise. */
async function anArea(): Promise<Beside & { name: string }> {
  const http = await machine()
  const [lat, lng] = [24.38 - WORKER * 0.012 + Math.random() / 10_000, 119.711]
  const post = async (path: string, data: unknown) => told(await http.post(path, { data }))
  const { agentId } = await post('/open/v1/agents', { company: '告警测试公司', contactName: '陈伟', phone: `139000${WORKER}9921`, billingWay: 0 })
  const square = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([east = 0, north = 0]) => [lng + east * 0.005, lat + north * 0.005])
  const name = `告警测试区 ${lat.toFixed(6)}`
  const { areaId } = await post('/open/v1/areas', { agentId, name, ring: square, tel: '05920000000' })
  await post(`/open/v1/areas/${String(areaId)}/open`, {})
  await http.dispose()
  return { agentId: String(agentId), areaId: String(areaId), name, lat, lng }
}

/** Waits until the alarm of a bike that was moved stands so. */
async function stands(request: APIRequestContext, keyword: string, state: number): Promise<void> {
  const asked = { page: '1', pageSize: '10', keyword, kind: MOVED }
  const found = () => call<{ rows: { state: number }[] }>(request, adminKeys(), 'GET', '/vehicle/alarm/list', asked)
  await expect.poll(async () => (await found()).data.rows[0]?.state, { timeout: 60_000 }).toBe(state)
}

async function publish(page: Page, note: string): Promise<void> {
  await page.getByRole('button', { name: '保存草稿' }).click()
  await expect(page.getByText('草稿已保存').last()).toBeVisible()
  await page.getByRole('button', { name: '发布草稿' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('发布说明').fill(note)
  await dialog.getByRole('button', { name: /发\s*布/ }).click()
  await expect(page.getByRole('listitem').filter({ hasText: note })).toBeVisible()
  await expect(dialog).toBeHidden()
}

test('ROUTE-068 a threshold is published, what rings follows it, and it is rolled back', async ({ page, request }) => {
  const area = await anArea()
  const stolen = await theft(area, '--stays', '240s')
  await page.goto(at(`/backend/system-config?opAreaId=${area.areaId}`))
  await settled(page)
  await expect(page.getByRole('heading', { name: '系统配置' })).toBeVisible()
  await expect(page.getByText(area.name)).toBeVisible()
  await expect(page.getByText('默认配置生效中')).toBeVisible()
  await stolen.goneAt
  await stands(request, stolen.carId, OPEN)

  // What may not stand is told at its field, and nothing is kept of it.
  await page.getByLabel('低电恢复').fill('15')
  await page.getByRole('button', { name: '保存草稿' }).click()
  await expect(page.getByText(/恢复值需高于阈值/)).toBeVisible()
  await page.getByLabel('低电恢复').fill('25')
  await page.getByLabel('移动距离').fill('40')
  await publish(page, '收紧移动距离')
  await expect(page.getByRole('listitem', { name: /^第 1 版$/ })).toContainText('40 米')

  await page.getByLabel('异常移动报警').click()
  await publish(page, '路面施工，暂停异常移动报警')
  await expect(page.getByText('第 2 版生效中', { exact: true })).toBeVisible()
  // The bike goes on reporting: its alarm ends by itself.
  await stands(request, stolen.carId, RECOVERED)
  stolen.end()
  await page.mouse.move(0, 0)
  await fitsEverywhere(page, 'alarm-config')
  await page.getByRole('listitem', { name: /^第 2 版$/ }).scrollIntoViewIfNeeded()
  await fitsEverywhere(page, 'alarm-config-versions')
  await page.setViewportSize({ width: 1366, height: 768 })
  expect(await violationsOf(page)).toEqual([])

  await page.getByRole('listitem', { name: /^第 1 版$/ }).getByRole('button', { name: '回滚到此版' }).click()
  await page.getByRole('dialog').getByRole('button', { name: /^回滚到第/ }).click()
  await expect(page.getByText('第 3 版生效中', { exact: true })).toBeVisible()
  const again = await theft(area)
  await again.goneAt
  await stands(request, again.carId, OPEN)
  again.end()
})

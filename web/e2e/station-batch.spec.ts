/** Many parking places changed at once: looked at, done with a reason, and taken back after the page was loaded anew. */
import { type APIResponse, type Page, request } from '@playwright/test'
import { violationsOf } from './axe'
import { at, expect, machineToken, rowOf, server, SIGNED_IN, test, WORKER } from './fixtures'
import { newPhone } from './wire'

test.use({ storageState: SIGNED_IN })

const PAGE = '/electronic/parking-fence'
/** New in every run. */
const mark = Date.now().toString(36)
const STEP = 0.0005

async function told(response: APIResponse): Promise<Record<string, unknown>> {
  const answer = (await response.json()) as { suc: boolean; data: Record<string, unknown> }
  expect(answer.suc, JSON.stringify(answer)).toBe(true)
  return answer.data
}

/** Parking places of these capacities, each with its name, in a service area of their own beside the city. */
async function stations(capacities: readonly number[]): Promise<string[]> {
  const http = await request.newContext({ baseURL: server(), extraHTTPHeaders: { Authorization: `Bearer ${machineToken()}` } })
  const post = async (path: string, data: unknown) => told(await http.post(path, { data }))
  const [lat, lng] = [24.452 - WORKER * 0.012 + Math.random() / 10_000, 119.711]
  const box = (west: number, south: number, size: number) => [
    [west, south],
    [west + size, south],
    [west + size, south + size],
    [west, south + size],
  ]
  const { agentId } = await post('/open/v1/agents', { company: `批量测试公司${mark}`, contactName: '陈伟', phone: newPhone(), billingWay: 0 })
  const { areaId } = await post('/open/v1/areas', { agentId, name: `批量测试区${mark}`, ring: box(lng, lat, 0.01), tel: '05920000000' })
  await post(`/open/v1/areas/${String(areaId)}/open`, {})
  const names = capacities.map((_, n) => `批量${mark}-${n + 1}`)
  for (const [n, capacity] of capacities.entries()) {
    // oxlint-disable-next-line no-await-in-loop -- in this order they are listed
    await post('/open/v1/fences', { areaId, kind: 2, name: names[n], ring: box(lng + 0.001 + n * 2 * STEP, lat + 0.001, STEP), capacity })
  }
  await http.dispose()
  return names
}

const dialog = (page: Page) => page.getByRole('dialog', { name: /^批量修改 \d+ 个停车区$/ })
const preview = (page: Page) => dialog(page).getByRole('region', { name: '修改预览' })
const shown = (page: Page) => page.goto(at(`${PAGE}?keyword=${encodeURIComponent(`批量${mark}`)}`))

test.describe.serial('one change of several parking places', () => {
  let names: string[] = []

  test('marked ones are looked at, changed with a reason, and say so in their versions', async ({ page }) => {
    names = await stations([30, 41, 20])
    await shown(page)
    for (const name of names.slice(0, 2)) await rowOf(page, name).getByRole('checkbox').check()
    await page.getByRole('region', { name: '批量操作' }).getByRole('button', { name: '批量修改' }).click()
    await expect(dialog(page)).toContainText('批量修改 2 个停车区')
    // Nothing chosen is nothing to look at.
    await dialog(page).getByRole('button', { name: /预\s*览/ }).click()
    await expect(page.getByText('请选择要修改的内容')).toBeVisible()
    await dialog(page).getByLabel('停放上限').click()
    await page.locator('.ant-select-dropdown:visible').getByTitle('增减百分比', { exact: true }).click()
    await dialog(page).getByLabel('增减', { exact: true }).fill('-50')
    await dialog(page).getByLabel('缓冲距离').fill('5')
    await dialog(page).locator('.ant-form-item', { hasText: '脚撑检测' }).getByText('要求', { exact: true }).click()
    await dialog(page).getByRole('button', { name: /预\s*览/ }).click()
    await expect(preview(page)).toContainText('将修改 2 个')
    await expect(preview(page).getByRole('row').filter({ hasText: names[1]! })).toContainText('停放上限 41 → 21')
    await expect(preview(page).getByRole('row').filter({ hasText: names[0]! })).toContainText('缓冲距离 10 米 → 5 米')
    expect(await violationsOf(page)).toEqual([])
    // Another field: what was looked at is no longer what is asked for.
    await dialog(page).getByLabel('缓冲距离').fill('6')
    await expect(preview(page)).toHaveCount(0)
    await dialog(page).getByRole('button', { name: /预\s*览/ }).click()
    await dialog(page).getByRole('button', { name: '修改 2 个' }).click()
    const question = page.getByRole('dialog', { name: /^批量修改「/ })
    await expect(question).toContainText('2 个停车区：停放上限 −50%，缓冲距离改为 6 米，要求脚撑检测。立即生效')
    const sure = question.getByRole('button', { name: '批量修改' })
    await expect(sure).toBeDisabled()
    await question.getByLabel('原因').fill(`冬季缩容 ${mark}`)
    await sure.click()
    await expect(page.getByText('已修改 2 个停车区')).toBeVisible()
    await expect(dialog(page)).toHaveCount(0)
    await expect(rowOf(page, names[0]!)).toContainText('15')
    await expect(rowOf(page, names[1]!)).toContainText('21')

    await rowOf(page, names[0]!).getByRole('button', { name: '编辑' }).click()
    const drawer = page.locator('.ant-drawer-open')
    await drawer.getByRole('tab', { name: '版本' }).click()
    const version = drawer.getByRole('listitem', { name: '第 2 版' })
    await expect(version).toContainText(`批量修改：冬季缩容 ${mark}`)
    await expect(version).toContainText('停放上限 30 → 15')
  })

  test('after the page is loaded anew it is taken back, but for what was changed since', async ({ page }) => {
    await shown(page)
    // The second is changed by itself meanwhile.
    await rowOf(page, names[1]!).getByRole('button', { name: '编辑' }).click()
    const drawer = page.locator('.ant-drawer-open')
    await drawer.getByLabel('停放上限').fill('99')
    await drawer.getByRole('button', { name: '保存' }).click()
    await expect(drawer.getByText(/有未发布的草稿/)).toBeVisible()
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: '批量修改' }).click()
    await page.getByRole('menuitem', { name: '最近的批量修改' }).click()
    const made = page.getByRole('listitem', { name: `冬季缩容 ${mark}` })
    await expect(made).toContainText('停放上限 −50%，缓冲距离改为 6 米，要求脚撑检测')
    expect(await violationsOf(page)).toEqual([])
    await made.getByRole('button', { name: /撤\s*销/ }).click()
    const question = page.getByRole('dialog', { name: `撤销批量修改「冬季缩容 ${mark}」？` })
    await expect(question).toContainText('1 个停车区立即恢复修改前的设置')
    await expect(question).toContainText(`${names[1]!}（之后又被修改过，没有撤销）`)
    await question.getByRole('button', { name: '撤销批量修改' }).click()
    await expect(page.getByText('已恢复 1 个停车区，1 个保持不变')).toBeVisible()
    await expect(made).toContainText('恢复 1 个，1 个之后又有变动，保持不变')
    await expect(made.getByRole('button', { name: /撤\s*销/ })).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(rowOf(page, names[0]!)).toContainText('30')
    await expect(rowOf(page, names[1]!)).toContainText('99')
  })

  test('all that the filter finds are looked at, and what is refused is said at its row', async ({ page }) => {
    await shown(page)
    await expect(rowOf(page, names[2]!)).toBeVisible()
    await page.getByRole('button', { name: '批量修改' }).click()
    await page.getByRole('menuitem', { name: '修改筛选结果' }).click()
    await expect(dialog(page)).toContainText('批量修改 3 个停车区')
    await dialog(page).locator('.ant-form-item', { hasText: '射频识别' }).getByText('要求', { exact: true }).click()
    await dialog(page).getByRole('button', { name: /预\s*览/ }).click()
    await expect(preview(page)).toContainText('将修改 0 个，3 个不能修改')
    await expect(preview(page).getByRole('row').filter({ hasText: names[2]! })).toContainText('没有射频编号，不能要求射频识别')
    await expect(preview(page).getByRole('row').filter({ hasText: names[1]! })).toContainText('有未发布的草稿，请先发布或丢弃')
    await expect(dialog(page).getByRole('button', { name: '修改 0 个' })).toBeDisabled()
  })
})

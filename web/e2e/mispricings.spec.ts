/** 受影响订单: a ban that was drawn wrong is looked for from its version, what it priced is listed, and all of it is given back. */
import { violationsOf } from './axe'
import { fitsEverywhere, pictured, settled } from './built'
import { at, expect, hashOf, SIGNED_IN, test } from './fixtures'
import { accountOf, banAbout, endPaid, machine, ride } from './rides'

// antd puts a dialog on its list for Esc while it renders: one whose first rendering was given up (its page was still on the way)
// stays there, and Esc calls its page, which was never there and goes nowhere.
test.use({ storageState: SIGNED_IN, allowed: [/You should call navigate\(\) in a React.useEffect\(\)/] })

const WALLET_CENTS = 20_000
const PENALTY_CENTS = 1_500
const stamp = Date.now().toString(36)

test('ROUTE-022 orders of a wrong ban are found from its version and given back at once', async ({ page, request }) => {
  test.setTimeout(300_000)
  const http = await machine()
  const begun = await ride(http, WALLET_CENTS)
  const name = `错画禁停${stamp}`
  const switchOff = await banAbout(request, begun, name, PENALTY_CENTS)
  const paid_cents = await endPaid(request, http, begun)
  expect(paid_cents, 'the ban was charged').toBeGreaterThanOrEqual(PENALTY_CENTS)
  await switchOff()

  // From the list of versions of the fence.
  await page.goto(at(`/electronic/no-stop-fence?keyword=${encodeURIComponent(name)}`))
  await page.getByRole('row').filter({ hasText: name }).getByText(name).click()
  const drawer = page.locator('.ant-drawer-open')
  await drawer.getByRole('tab', { name: '版本' }).click()
  await drawer.getByRole('listitem', { name: '第 1 版' }).getByRole('link', { name: '受影响订单' }).click()
  await expect.poll(() => hashOf(page)).toContain('/user-order?view=mispricings')
  const form = page.getByRole('dialog', { name: '核对受影响订单' })
  await expect(form).toContainText(name)
  await expect(form.getByPlaceholder('开始日期')).toHaveValue(/^\d{4}-/)
  expect(await violationsOf(page)).toEqual([])
  await form.getByRole('button', { name: '开始核对' }).click()
  await expect(form.getByText('请选择应当生效的版本')).toBeVisible()
  await form.getByLabel('应当生效的版本').click()
  await page.locator('.ant-select-item-option', { hasText: '不设围栏' }).click()
  await pictured(page, 'find-1366')
  await form.getByRole('button', { name: '开始核对' }).click()

  // What it did, order by order; nothing has moved.
  const result = page.getByRole('region', { name: '核对结果' })
  await expect(result).toContainText(`围栏版本“${name}” 第 1 版 → 不设围栏`)
  await expect(result).toContainText('1 单 · 1 位用户')
  const row = page.getByRole('row').filter({ hasText: begun.orderId })
  await expect(row).toContainText((PENALTY_CENTS / 100).toFixed(2))
  await expect(row).toContainText('待退还')
  expect((await accountOf(http, begun.userId))['rechargeCents']).toBe(WALLET_CENTS - paid_cents)
  await settled(page)
  expect(await violationsOf(page)).toEqual([])
  await fitsEverywhere(page, 'case')
  await page.setViewportSize({ width: 1366, height: 768 })

  await result.getByRole('button', { name: '全部退还' }).click()
  const dialog = page.getByRole('dialog', { name: /^全部退还 1 个订单/ })
  await expect(dialog).toContainText(`退还已付 ${(PENALTY_CENTS / 100).toFixed(2)} 元`)
  await dialog.getByRole('button', { name: '全部退还' }).click()
  await expect(dialog.getByText('请填写原因')).toBeVisible()
  await dialog.getByLabel('原因').fill('禁停区画错位置')
  await dialog.getByRole('button', { name: '全部退还' }).click()
  await expect(dialog).toBeHidden()
  await expect(result).toContainText('已完成', { timeout: 60_000 })
  await expect(result.getByRole('status', { name: '退还进度' })).toContainText('1 / 1')
  await expect(row).toContainText('已退还')
  await expect.poll(async () => (await accountOf(http, begun.userId))['rechargeCents']).toBe(WALLET_CENTS - paid_cents + PENALTY_CENTS)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: '导出', exact: true }).click()
  expect((await download).suggestedFilename()).toMatch(/\.csv$/)

  // The list of what was looked at.
  await page.getByRole('button', { name: '返回受影响订单' }).click()
  await page.getByRole('search').getByPlaceholder('围栏名称').fill(name)
  await page.getByRole('search').getByPlaceholder('围栏名称').press('Enter')
  await expect(page.getByRole('row').filter({ hasText: name })).toContainText('已完成')
  await settled(page)
  expect(await violationsOf(page)).toEqual([])
  await fitsEverywhere(page, 'list')
})

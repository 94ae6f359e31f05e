/** 每日统计: figures of the demo city's rides, each with its 口径, down to the entries and the orders that they are made of. */
import { readFileSync } from 'node:fs'
import { type Locator, type Page } from '@playwright/test'
import { violationsOf } from './axe'
import { fitsEverywhere, pictured, settled } from './built'
import { at, expect, hashOf, SIGNED_IN, test } from './fixtures'
import { machine, ride, told } from './rides'
import { enterByLink, newOperator } from './wire'

test.use({ storageState: SIGNED_IN })

const PAGE = '/report/financial-statistics'
const card = (page: Page, title: string) => page.getByRole('list', { name: '指标' }).getByRole('listitem').filter({ hasText: new RegExp(`^${title}[-\\d]`) })
const rows = (page: Page) => page.locator('.ant-table-tbody tr[data-row-key]')
const cents = (text: string) => Math.round(Number(text.replaceAll(',', '')) * 100)
const PAID = 4
/** What is over sooner costs nothing. */
const FREE_MS = 62_000
const centsOf = async (cell: Locator) => cents(await cell.innerText())

/** Somebody pays into his wallet, rides and pays for it; what his ride cost, cents. */
async function ridden(): Promise<{ orderId: string; payCents: number }> {
  const http = await machine()
  const { userId, orderId } = await ride(http)
  const begun_ms = Date.now()
  await told(await http.post('/open/v1/rider/top-up', { data: { userId, channel: 3, agreed: true, amountCents: 5_000 } }))
  const order = async () => told(await http.get(`/open/v1/rider/order?userId=${userId}&orderId=${orderId}`))
  await expect.poll(async () => (await told(await http.get(`/open/v1/rider/account?userId=${userId}`)))['rechargeCents'], { timeout: 60_000 }).toBe(5_000)
  await expect.poll(() => Date.now() - begun_ms, { timeout: 90_000 }).toBeGreaterThan(FREE_MS)
  await told(await http.post('/open/v1/rider/return', { data: { userId, orderId } }))
  await expect.poll(async () => (await order())['state'], { timeout: 60_000 }).toBe(PAID)
  const { payCents } = await order()
  await http.dispose()
  return { orderId, payCents: Number(payCents) }
}

async function opened(page: Page): Promise<void> {
  await page.goto(at(PAGE))
  await expect(card(page, '实收总额').locator('strong')).not.toHaveText(/^(0\.00|--)/)
  await settled(page)
}

test.describe.serial('days of revenue', () => {
  let paid: Awaited<ReturnType<typeof ridden>>

  test('ROUTE-078 the last days have figures, each with its formula, and a chart with its numbers', async ({ page }) => {
    test.setTimeout(240_000)
    paid = await ridden()
    await opened(page)
    await expect(page.getByRole('heading', { name: '每日统计' })).toBeVisible()
    await expect(card(page, '订单').locator('strong')).toHaveText(/^[1-9]/)
    await expect(page.getByLabel('统计范围')).toContainText(/权限内的全部服务区.*统计至 \d{4}-\d{2}-\d{2}/)
    await page.getByRole('button', { name: '总收益的口径' }).first().click()
    const formula = page.getByRole('tooltip')
    await expect(formula).toContainText('押金与赠送不计入')
    await expect(formula).toContainText(/数据截至\s*\d{4}/)
    await page.keyboard.press('Escape')
    await expect(formula).toBeHidden()
    await page.getByRole('button', { name: '看表' }).click()
    await expect(page.getByRole('region', { name: '趋势数据' }).getByRole('row')).toHaveCount(8)
    await expect(rows(page)).toHaveCount(7)
    // What is not over is open, and what was over for hours is closed.
    await expect(rows(page).first()).toContainText('未结')
    await expect(rows(page).last()).toContainText('已结')
    await expect(page.locator('tr.totals')).toContainText('合计')
    expect(await violationsOf(page)).toEqual([])
    await fitsEverywhere(page, 'daily')
  })

  test('a day opens its parts, its entries and their orders, and is taken away', async ({ page }) => {
    test.setTimeout(240_000)
    await opened(page)
    await page.getByText('今天', { exact: true }).click()
    await expect.poll(() => hashOf(page)).toContain('startTime=today')
    await settled(page)
    const day = (await rows(page).first().locator('td').first().innerText()).trim()
    await rows(page).first().click()
    const drawer = page.locator('.ant-drawer-open')
    await expect(drawer.getByText(`${day} 每日统计`)).toBeVisible()
    for (const name of ['应收 A', '新增实收 E', '新增欠款 C', '历史欠款补缴 D', '总收益']) {
      const account = drawer.getByRole('table', { name, exact: true })
      // The city rides on: the parts and their sum may be read on either side of an order.
      await expect(async () => {
        const parts = await account.locator('tbody td').allInnerTexts()
        expect(parts.reduce((sum, part) => sum + cents(part), 0), name).toBe(await centsOf(account.locator('tfoot td')))
      }).toPass()
    }
    expect(await centsOf(drawer.getByRole('table', { name: '应收 A', exact: true }).locator('tfoot td'))).toBeGreaterThan(0)
    await expect(drawer.locator('.ant-table-row').first().getByRole('link')).toHaveAttribute('href', /view=entries/)
    await pictured(page, 'day-1366')
    expect(await violationsOf(page)).toEqual([])

    await drawer.getByRole('link', { name: '查看当日明细' }).click()
    await expect.poll(() => hashOf(page)).toContain(`view=entries&startTime=${day}&endTime=${day}`)
    await expect(page.getByRole('heading', { name: '营收明细' })).toBeVisible()
    await expect(rows(page).first()).toContainText(day)
    await page.getByLabel('变动类型').click()
    await page.locator('.ant-select-dropdown:visible').getByText('骑行费用', { exact: true }).click()
    await expect.poll(() => hashOf(page)).toContain('movement=1')
    await settled(page)
    const entry = rows(page).filter({ hasText: paid.orderId })
    const cells = await entry.locator('td').allInnerTexts()
    const [, , , , moved = '', due = ''] = cells.map((text) => text.trim())
    expect(cents(moved), 'what its rider was told').toBe(paid.payCents)
    expect(due, 'a fare is due').toBe(moved)
    await pictured(page, 'entries-1366')
    expect(await violationsOf(page)).toEqual([])

    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: '导出', exact: true }).click()
    const lines = readFileSync(await (await download).path(), 'utf8').trim().split('\r\n')
    expect(lines[0]).toContain('统计日,变动类型,服务区,订单号')
    expect(lines.slice(1).every((line) => line.startsWith(`${day},骑行费用,`))).toBe(true)

    // The list of orders says the same of it.
    await page.goto(at(`/user-order?keyword=${paid.orderId}`))
    await settled(page)
    await expect(rows(page)).toHaveCount(1)
    await expect(rows(page).first()).toContainText(paid.orderId)
    await expect(rows(page).first()).toContainText(moved)
  })
})

test('who may not see it does not', async ({ browser, request, clean }) => {
  const { phone } = await newOperator(request, '看报表', ['07', '1601'])
  const context = await browser.newContext({ storageState: { cookies: [], origins: [] } })
  clean(context)
  const page = await context.newPage()
  await enterByLink(page, request, phone)
  await page.goto(at(PAGE))
  await expect.poll(() => hashOf(page)).toBe('/404')
  await context.close()
})

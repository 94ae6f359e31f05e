/** Statistics of parking places: figures of the demo city's past, each with its 口径, narrowed, put in order, taken away. */
import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { violationsOf } from './axe'
import { settled } from './built'
import { at, expect, hashOf, SIGNED_IN, test } from './fixtures'
import { enterByLink, newOperator } from './wire'

test.use({ storageState: SIGNED_IN })

const PAGE = '/data/station-statistics'
const card = (page: Page, title: string) => page.getByRole('list', { name: '指标' }).getByRole('listitem').filter({ hasText: new RegExp(`^${title}\\d`) })
const figures = async (page: Page, column: number) => {
  const cells = await page.locator(`.ant-table-tbody tr[data-row-key] td:nth-child(${column})`).allInnerTexts()
  return cells.map((text) => Number(text.replaceAll(',', '')))
}

async function opened(page: Page): Promise<void> {
  await page.goto(at(PAGE))
  // Reckoned within some seconds after the past was told.
  await expect(async () => {
    await page.reload()
    await expect(card(page, '还车').locator('strong')).not.toHaveText(/^(0|--)/, { timeout: 5_000 })
  }).toPass({ timeout: 90_000 })
  await settled(page)
}

test.describe.serial('station statistics', () => {
  test('ROUTE-035 the week before has figures, each with its formula, and a chart with its numbers', async ({ page }) => {
    await opened(page)
    await expect(page.getByRole('heading', { name: '站点统计' })).toBeVisible()
    for (const title of ['站点', '在站车辆', '离站', '平均在站']) {
      await expect(card(page, title).locator('strong')).not.toHaveText(/^(0|--)/)
    }
    const scope = page.getByLabel('统计范围')
    await expect(scope).toContainText('权限内的全部服务区')
    await expect(scope).toContainText(/统计至 \d{4}-\d{2}-\d{2} \d{2}:00:00/)

    await page.getByRole('button', { name: '满溢率的口径' }).first().click()
    const formula = page.getByRole('tooltip')
    await expect(formula).toContainText('开放的站点小时')
    await expect(formula).toContainText(/数据截至\s*\d{4}/)
    await page.keyboard.press('Escape')
    await expect(formula).toBeHidden()

    await expect(page.getByRole('img', { name: /^趋势：/ }).locator('canvas')).toBeVisible()
    await page.getByRole('button', { name: '看表' }).click()
    const rows = page.getByRole('region', { name: '趋势数据' }).getByRole('row')
    // Of today nothing is over yet in its first hour.
    expect(await rows.count()).toBeGreaterThanOrEqual(7)
    expect(await violationsOf(page)).toEqual([])
  })

  test('places are put in order, narrowed, opened and taken away', async ({ page }) => {
    await opened(page)
    const head = page.getByRole('columnheader', { name: '还车', exact: true })
    await head.click()
    await expect(head).toHaveAttribute('aria-sort', 'ascending')
    await settled(page)
    const rising = await figures(page, 9)
    expect(rising).toEqual(rising.toSorted((x, y) => x - y))
    await head.click()
    await expect(head).toHaveAttribute('aria-sort', 'descending')
    await settled(page)
    const falling = await figures(page, 9)
    expect(falling).toEqual(falling.toSorted((x, y) => y - x))
    expect(falling[0]).toBeGreaterThan(rising[0] ?? 0)

    // One day is told by the hour.
    await page.getByText('昨天', { exact: true }).click()
    await expect.poll(() => hashOf(page)).toContain('startTime=yesterday')
    await settled(page)
    await page.getByRole('button', { name: '看表' }).click()
    await expect(page.getByRole('region', { name: '趋势数据' }).getByRole('row')).toHaveCount(25)

    const name = (await page.locator('.ant-table-tbody tr[data-row-key]').first().locator('td').first().innerText()).trim()
    await page.getByLabel('关键词').fill(name)
    await expect.poll(() => hashOf(page)).toContain(name)
    await settled(page)
    await expect(card(page, '站点').locator('strong')).toHaveText(/^[1-9]/)
    for (const row of await page.locator('.ant-table-tbody tr[data-row-key]').all()) await expect(row).toContainText(name)
    await page.locator('.ant-table-tbody tr[data-row-key]').first().click()
    const drawer = page.locator('.ant-drawer-open')
    await expect(drawer.getByText(name, { exact: true }).first()).toBeVisible()
    await expect(drawer.getByRole('list', { name: '指标' }).getByRole('listitem')).toHaveCount(9)
    await expect(drawer.getByRole('link', { name: '查看围栏' })).toHaveAttribute('href', /parking-fence\?open=\d+/)
    await page.keyboard.press('Escape')
    await expect(drawer).toHaveCount(0)

    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: '导出', exact: true }).click()
    const lines = readFileSync(await (await download).path(), 'utf8').trim().split('\r\n')
    expect(lines[0]).toContain('站点,服务区,当前等级')
    expect(lines.slice(1).every((line) => line.includes(name))).toBe(true)
  })

  test('who may not see it does not', async ({ browser, request, clean }) => {
    const { phone } = await newOperator(request, '看统计', ['09', '0908'])
    const context = await browser.newContext({ storageState: { cookies: [], origins: [] } })
    clean(context)
    const page = await context.newPage()
    await enterByLink(page, request, phone)
    await page.goto(at(PAGE))
    await expect.poll(() => hashOf(page)).toBe('/404')
    await context.close()
  })
})

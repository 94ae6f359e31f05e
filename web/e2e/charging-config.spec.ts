/** What rides cost in an area: tried, written, published, gone back from and copied. */
import type { APIRequestContext, Page } from '@playwright/test'
import { violationsOf } from './axe'
import { settled } from './built'
import { at, expect, SIGNED_IN, test } from './fixtures'
import { cityBike } from './keeping'

test.use({ storageState: SIGNED_IN })

const PAGE = '/marketing/charging-config'

/** An area of the demo city, the same in all tests: what one of them published, the next one goes back from. */
let areaId: string | undefined

async function opened(page: Page, request: APIRequestContext, tab = 'billing'): Promise<void> {
  areaId ??= (await cityBike(request)).areaId
  await page.goto(at(`${PAGE}?opAreaId=${areaId}&tab=${tab}`))
  await settled(page)
  await expect(page.getByRole('heading', { name: '计费配置' })).toBeVisible()
  if (tab === 'billing') await expect(page.getByRole('region', { name: '费用试算' })).toBeVisible()
}

const total = (page: Page) => page.getByRole('table', { name: '费用明细' }).locator('tfoot strong')

test.describe.serial('charging configuration', () => {
  test('PROD-010 ROUTE-050 a price is tried, saved, found again after a reload and published', async ({ page, request }) => {
    await opened(page, request)
    // The simulator published prices of each area.
    await expect(page.getByText(/第 \d+ 版生效中/).first()).toBeVisible()
    await expect(page.getByRole('listitem', { name: /^第 1 版$/ })).toBeVisible()

    await page.getByRole('button', { name: '通勤 12 分钟' }).click()
    const price = page.getByLabel('起步价', { exact: true })
    const wanted = (await price.inputValue()) === '3.60' ? '3.70' : '3.60'
    await price.fill(wanted)
    await expect(total(page)).toHaveText(wanted)
    await page.getByRole('button', { name: '站点外', exact: true }).click()
    await expect(page.getByRole('table', { name: '费用明细' })).toContainText('调度费（近）')
    // A button under the pointer is on its way to another colour.
    await page.mouse.move(0, 0)
    await page.waitForTimeout(400)
    expect(await violationsOf(page)).toEqual([])

    await page.getByRole('button', { name: '保存草稿' }).click()
    await expect(page.getByText('草稿已保存')).toBeVisible()
    await page.reload()
    await expect(page.getByText(/有未发布的草稿/)).toBeVisible()
    await expect(page.getByLabel('起步价', { exact: true })).toHaveValue(wanted)

    await page.getByRole('button', { name: '发布草稿' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByText(/近 7 天/)).toBeVisible()
    await dialog.getByLabel('发布说明').fill('浏览器测试调价')
    await dialog.getByRole('button', { name: /发\s*布/ }).click()
    await expect(page.getByText('已发布')).toBeVisible()
    await expect(page.getByRole('listitem').filter({ hasText: '浏览器测试调价' }).first()).toContainText('起步价')
    await expect(page.getByText(/有未发布的草稿/)).toBeHidden()
  })

  test('an older version counts again', async ({ page, request }) => {
    await opened(page, request)
    await page.getByRole('button', { name: '回滚到此版' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: /^回滚到第/ }).click()
    await expect(page.getByText('已回滚')).toBeVisible()
  })

  test('how rides end is a tab of its own', async ({ page, request }) => {
    await opened(page, request, 'return')
    await expect(page.getByText('默认配置生效中').or(page.getByText(/第 \d+ 版生效中/)).first()).toBeVisible()
    await page.getByLabel('满桩禁停').click()
    await page.getByRole('button', { name: '保存草稿' }).click()
    await expect(page.getByText('草稿已保存')).toBeVisible()
    await page.getByRole('button', { name: /丢\s*弃/ }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: '丢弃草稿' }).click()
    await expect(page.getByText('草稿已丢弃')).toBeVisible()
    expect(await violationsOf(page)).toEqual([])
  })
})

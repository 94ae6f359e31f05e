import type { Page } from '@playwright/test'
import { nothingSticksOut, pictured, SIZES } from './built'
import { at, badge, expect, requestCode, rowOf, seen, SIGNED_IN, smsCode, test } from './fixtures'
import { cityBike, ownBikes } from './keeping'
import { adminKeys, call, newPhone } from './wire'

test.use({ storageState: SIGNED_IN })

const stamp = Date.now().toString(36).slice(-6)
const name = `片区组长${stamp}`
const PAGES = ['运营地图', '车辆查询', '车辆筛选', '角色列表']

/** Adds a role that sees these numbers, by its form. */
async function addRole(page: Page, range: string): Promise<void> {
  await page.goto(at('/permissions/role'))
  await page.getByRole('button', { name: '新增角色' }).click()
  await page.getByLabel('角色名称').fill(name)
  for (const title of PAGES) {
    await page.getByLabel('搜索权限').fill(title)
    await page.getByRole('treeitem', { name: new RegExp(`^${title}`) }).first().getByRole('checkbox').click()
  }
  const ranges = page.getByLabel('可见车辆编号')
  await ranges.fill('W00001~W1')
  await ranges.press('Enter')
  await page.getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('「W00001~W1」应为一个编号，或位数相同的“起始~结束”')).toBeVisible()
  await page.locator('.ant-select-selection-item', { hasText: 'W00001~W1' }).locator('.ant-select-selection-item-remove').click()
  await ranges.fill(range)
  await ranges.press('Enter')
  await page.getByRole('checkbox', { name: '待使用' }).check()
  for (const [width, height] of SIZES.toReversed()) {
    await page.setViewportSize({ width, height })
    await page.getByLabel('可见车辆编号').scrollIntoViewIfNeeded()
    await pictured(page, `form-${width}`)
    await nothingSticksOut(page)
  }
  await page.getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('角色已新增')).toBeVisible()
}

test('a role shows some bikes alone: on the map, in lists, in the search and live', async ({ page, request, browser }) => {
  const { carId, agentId } = await cityBike(request)
  const { prefix } = await ownBikes(request, 1)
  // Some thirty: of a single one, which may be ridden at any moment, nothing might be seen.
  const [start, rest] = [carId.slice(0, 2), carId.length - 2]
  const range = `${start}${'0'.repeat(rest)}~${start}${'9'.repeat(rest)}`
  const { data: within } = await call<{ count: number }>(request, adminKeys(), 'GET', '/vehicle/screening', { page: '1', pageSize: '1', keyword: start })
  await addRole(page, range)
  await page.goto(at(`/permissions/role?keyword=${encodeURIComponent(name)}`))
  await expect(rowOf(page, name)).toContainText(`${range}、待使用`)
  await pictured(page, 'list')
  await rowOf(page, name).click()
  await expect(page.getByRole('dialog').getByText(range)).toBeVisible()

  const { data } = await call<{ rows: { id: string; name: string }[] }>(request, adminKeys(), 'GET', '/platform/permission/role', { keyword: name })
  const phone = newPhone()
  const person = { phone, name: '赵组长', level: 15, roleIds: data.rows.map(({ id }) => id), agentId, opAreaIds: [], state: 1 }
  expect(await call(request, adminKeys(), 'POST', '/platform/permission/user', person)).toMatchObject({ suc: true })

  const context = await browser.newContext({ storageState: { cookies: [], origins: [] }, locale: 'zh-CN', timezoneId: 'Asia/Shanghai' })
  const his = await context.newPage()
  await his.goto(at('/login'))
  await his.getByLabel('手机号').fill(phone)
  await requestCode(his)
  await his.getByLabel('验证码', { exact: true }).fill(smsCode())
  await his.getByLabel('验证码', { exact: true }).press('Enter')
  await expect(his.getByRole('navigation', { name: '主菜单' })).toBeVisible()

  const numbers = his.locator('tbody tr.ant-table-row td:nth-child(2)')
  await his.goto(at('/vehicle/vehicle-screening'))
  await expect(badge(his)).toHaveText('实时')
  await expect(numbers.first()).toBeVisible()
  expect((await numbers.allTextContents()).filter((text) => !text.startsWith(start))).toEqual([])
  await his.goto(at('/vehicle/operation-map'))
  await expect(badge(his)).toHaveText('实时')
  await expect.poll(async () => (await seen(his)).count, { timeout: 15_000 }).toBeGreaterThan(0)
  expect((await seen(his)).count).toBeLessThanOrEqual(within.count)
  await pictured(his, 'map')
  // A bike of others is not there: neither for the drawer nor for the search.
  await his.goto(at(`/vehicle/vehicle-query?keyword=${prefix}`))
  await expect(his.getByText('没有符合筛选条件的记录')).toBeVisible()
  await context.close()
})

test('a role shows the bikes of some voltage schemes', async ({ page }) => {
  await page.goto(at('/permissions/role'))
  await page.getByRole('button', { name: '新增角色' }).click()
  await page.getByLabel('角色名称').fill(`${name}换`)
  await page.getByLabel('搜索权限').fill('运营地图')
  await page.getByRole('treeitem', { name: /^运营地图/ }).first().getByRole('checkbox').click()
  await page.getByLabel('可见电压方案').click()
  const option = page.locator('.ant-select-dropdown:visible .ant-select-item-option').first()
  const scheme = (await option.innerText()).trim()
  await option.click()
  await page.keyboard.press('Escape')
  for (const [width, height] of SIZES.toReversed()) {
    await page.setViewportSize({ width, height })
    await page.getByLabel('可见电压方案').scrollIntoViewIfNeeded()
    await pictured(page, `schemes-${width}`)
  }
  await page.getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('角色已新增')).toBeVisible()
  await page.goto(at(`/permissions/role?keyword=${encodeURIComponent(`${name}换`)}`))
  await expect(rowOf(page, `${name}换`)).toContainText('1 个电压方案')
  await rowOf(page, `${name}换`).click()
  await expect(page.getByRole('dialog').getByTitle(scheme)).toBeVisible()
})

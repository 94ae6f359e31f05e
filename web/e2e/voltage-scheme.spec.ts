/** Voltage schemes: one is made, bikes are bound to it, found by it in lists and on the map, and it stays while they have it. */
import type { Page } from '@playwright/test'
import { violationsOf } from './axe'
import { fitsEverywhere, settled } from './built'
import { at, badge, expect, hashOf, rowOf, SIGNED_IN, test } from './fixtures'
import { cityBike, ownBikes } from './keeping'

test.use({ storageState: SIGNED_IN })

const name = `测试方案${Date.now().toString(36)}`
const CURVE = [40_000, 46_000, 48_000, 50_000, 54_600]

/** Chooses `choice` in the dialog of the act, and says yes. */
async function setScheme(page: Page, choice: string, cars: number): Promise<void> {
  const asked = page.getByRole('dialog', { name: /^设置电压方案：/ })
  await asked.getByRole('combobox', { name: '电压方案' }).fill(choice)
  await page.locator('.ant-select-dropdown:visible .ant-select-item-option').filter({ hasText: choice }).click()
  await asked.getByRole('button', { name: '下一步' }).click()
  const act = cars === 1 ? '设置电压方案' : '批量设置电压方案'
  const question = page.getByRole('dialog', { name: new RegExp(`^${act}「`) })
  await question.getByRole('button', { name: act, exact: true }).click()
  await expect(page.getByText(`已设置电压方案 ${cars} 辆`)).toBeVisible()
}

test.describe.serial('a voltage scheme', () => {
  test('ROUTE-092 is made with its curve, which is refused in words until it rises', async ({ page }) => {
    await page.goto(at('/production/voltage-scheme'))
    await expect(page.getByRole('heading', { name: '电压方案' })).toBeVisible()
    await page.getByRole('button', { name: '新增电压方案' }).click()
    await page.getByLabel('方案名称').fill(name)
    await page.getByLabel('满电里程').fill('60')
    await page.getByRole('button', { name: '保存' }).click()
    await expect(page.getByText('请填写每个点的电压和电量')).toBeVisible()
    for (const [index, voltage] of CURVE.entries()) {
      // oxlint-disable-next-line no-await-in-loop -- field after field, as people type
      await page.getByLabel(`第 ${index + 1} 点电压`).fill(String(index === 0 ? 40 : voltage))
    }
    await page.getByLabel('第 5 点电压').blur()
    await expect(page.getByText(/40 mV 与标称电压 48 V 相差过大/)).toBeVisible()
    await page.getByLabel('第 1 点电压').fill('40000')
    await page.getByLabel('第 1 点电压').blur()
    await expect(page.getByRole('img', { name: /电量曲线：40.0 V 为 0%，54.6 V 为 100%/ })).toBeVisible()
    await page.getByRole('button', { name: '添加一个点' }).click()
    await page.getByRole('button', { name: '删除第 6 点' }).click()
    await settled(page)
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: '保存' }).click()
    await expect(page.getByText('电压方案已新增')).toBeVisible()
    await expect(rowOf(page, name)).toContainText('60')
    await fitsEverywhere(page, 'voltage-scheme')
  })

  test('is given to many bikes at once, by which they are found', async ({ page, request }) => {
    const { prefix, cars } = await ownBikes(request, 3)
    await page.goto(at(`/vehicle/vehicle-screening?keyword=${prefix}`))
    const rows = page.locator('.ant-table tr[data-row-key]')
    await expect(rows).toHaveCount(cars.length)
    await page.getByRole('button', { name: '操作全部筛选结果' }).click()
    await page.getByRole('menuitem', { name: '设置电压方案' }).click()
    await setScheme(page, name, cars.length)
    await expect(rows.filter({ hasText: name })).toHaveCount(cars.length)
    await page.getByRole('button', { name: '展开' }).click()
    await page.getByRole('combobox', { name: '电压方案' }).click()
    await page.locator('.ant-select-dropdown:visible .ant-select-item-option').filter({ hasText: name }).click()
    await page.keyboard.press('Escape')
    await expect.poll(() => hashOf(page)).toContain('voltageScheme=')
    await expect(rows).toHaveCount(cars.length)
    // While bikes have it, it stays.
    await page.goto(at(`/production/voltage-scheme?keyword=${encodeURIComponent(name)}`))
    await expect(rowOf(page, name)).toContainText(String(cars.length))
  })

  test('tells range and charge of a bike of the city, and cuts the map down to it', async ({ page, there, request }) => {
    const { carId } = await cityBike(request)
    await page.goto(at(`/vehicle-info?carId=${carId}`))
    const act = async (choice: string) => {
      await page.getByRole('button', { name: '车辆操作' }).click()
      await page.getByRole('menuitem', { name: '设置电压方案' }).click()
      await setScheme(page, choice, 1)
    }
    await act(name)
    const state = page.getByRole('region', { name: '当前状态' })
    await expect(state).toContainText(name)
    await expect(state).toContainText(/约 [\d.]+ 公里（满电 60 公里）/)
    await expect(state).toContainText(/\d+%（按电压推算）/)

    await page.goto(at('/vehicle/operation-map'))
    await expect(badge(page)).toHaveText('实时')
    await page.getByRole('button', { name: '更多筛选' }).click()
    await page.getByRole('combobox', { name: '电压方案' }).fill(name)
    await page.locator('.ant-select-dropdown:visible .ant-select-item-option').filter({ hasText: name }).click()
    await page.keyboard.press('Escape')
    const filters = page.getByRole('region', { name: '更多筛选' })
    await expect(filters.getByRole('listitem')).toHaveText(`电压方案：${name}`)
    await expect(filters.getByRole('status')).toHaveText('1 辆')
    expect(hashOf(page)).toContain('volt=')

    // The map of somebody else follows a binding while he looks at it.
    await there.goto(at(hashOf(page)))
    const theirs = there.getByRole('region', { name: '更多筛选' }).getByRole('status')
    await expect(theirs).toHaveText('1 辆')
    await page.goto(at(`/vehicle-info?carId=${carId}`))
    await act('取消方案')
    await expect(state).toContainText('未设置')
    await expect(theirs).toHaveText('0 辆')
  })
})

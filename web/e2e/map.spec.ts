import type { Page } from '@playwright/test'
import { at, badge, expect, hashOf, seen, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

/** Opens the map near enough that bikes come one by one, not as counts. */
async function openNear(page: Page, query = ''): Promise<void> {
  await page.goto(at(`/vehicle/operation-map${query}`))
  await expect(page.getByRole('region', { name: '运营地图' })).toBeVisible()
  await expect(badge(page)).toHaveText('实时')
  await expect(async () => {
    const { count, mode } = await seen(page)
    if (mode === 'cells') await page.getByRole('button', { name: '放大' }).click()
    expect(count).toBeGreaterThan(0)
    expect(mode).not.toBe('cells')
  }).toPass({ intervals: [1500], timeout: 30_000 })
}

/** Clicks the standing bike nearest to the middle; answers its number. */
async function chooseBike(page: Page): Promise<string> {
  await expect(async () => {
    const bike = await page.evaluate(() => window['__fleet']?.nearMiddle(0) ?? null)
    if (bike === null) throw new Error('no rentable bike in view')
    await page.mouse.click(bike.x, bike.y)
    await expect(page.getByRole('complementary')).toBeVisible({ timeout: 3000 })
  }).toPass({ timeout: 20_000 })
  const carId = new URLSearchParams(hashOf(page).split('?')[1]).get('carId')
  expect(carId).not.toBeNull()
  return carId ?? ''
}

test.describe('the operation map', () => {
  test('bikes move by themselves, and the strip counts them', async ({ page }) => {
    await openNear(page)
    const before = await seen(page)
    await expect.poll(async () => (await seen(page)).moved, { timeout: 30_000 }).toBeGreaterThan(before.moved)
    expect((await seen(page)).seq).toBeGreaterThan(before.seq)
    await expect(page.getByRole('button', { name: /^上架 [\d,]+$/ })).toBeVisible()
  })

  test('by night the same bikes are on the map as by day', async ({ page }) => {
    await openNear(page)
    const { count } = await seen(page)
    await page.getByRole('button', { name: '夜间底图' }).click()
    await expect(page.getByRole('button', { name: '日间底图' })).toBeVisible()
    await expect.poll(async () => (await seen(page)).count).toBeGreaterThan(count * 0.9)
  })

  test('a bike is chosen on the map, locked, and says that it is', async ({ page }) => {
    await openNear(page)
    const carId = await chooseBike(page)
    const drawer = page.getByRole('complementary', { name: `车辆 ${carId}` })
    await expect(drawer.getByRole('heading', { name: carId })).toBeVisible()
    await drawer.getByRole('button', { name: '关锁' }).click()
    const question = page.getByRole('dialog')
    await expect(question).toContainText(`对 ${carId} 关锁`)
    await question.getByRole('button', { name: '关锁' }).click()
    await expect(drawer.getByTestId('command-outcome')).toContainText(/关锁\s*成功/, { timeout: 20_000 })
  })

  test('unlocking asks for a reason and does nothing without one', async ({ page }) => {
    await openNear(page)
    await chooseBike(page)
    await page.getByRole('complementary').getByRole('button', { name: '开锁' }).click()
    const question = page.getByRole('dialog')
    await expect(question.getByRole('button', { name: '开锁' })).toBeDisabled()
    await question.getByRole('textbox').fill('用户来电无法还车')
    await expect(question.getByRole('button', { name: '开锁' })).toBeEnabled()
    await question.getByRole('button', { name: '取消' }).click()
    await expect(page.getByText('还没有下发过指令').or(page.getByTestId('command-outcome'))).toBeVisible()
  })

  test('the filter stays in the address, and Esc closes the drawer', async ({ page }) => {
    await openNear(page)
    await page.getByRole('region', { name: '状态筛选' }).getByRole('button', { name: /^低电/ }).click()
    await expect.poll(() => hashOf(page)).toContain('f=low_battery')
    await page.reload()
    await expect(page.getByRole('region', { name: '状态筛选' }).getByRole('button', { name: /^低电/ })).toHaveAttribute('aria-pressed', 'true')
    await page.getByRole('region', { name: '状态筛选' }).getByRole('button', { name: '全部' }).click()
    await expect.poll(() => hashOf(page)).not.toContain('f=')
    await openNear(page)
    const carId = await chooseBike(page)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('complementary')).toBeHidden()
    await page.keyboard.press('f')
    await page.keyboard.type(carId)
    await page.locator('.ant-select-item-option').filter({ hasText: carId }).click()
    await expect(page.getByRole('complementary', { name: `车辆 ${carId}` })).toBeVisible()
  })

  test('on a phone the menu waits for its button, so that the map is to be seen', async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(at('/vehicle/operation-map'))
    await expect(badge(page)).toHaveText('实时')
    await expect(page.getByRole('navigation', { name: '主菜单' })).toBeHidden()
    await page.getByRole('button', { name: '展开菜单' }).click()
    await page.getByRole('menuitem', { name: '运营地图' }).click()
    await expect(page.getByRole('navigation', { name: '主菜单' })).toBeHidden()
    await page.getByRole('button', { name: '全部状态' }).click()
    await expect(page.getByRole('button', { name: /^低电/ }).last()).toBeVisible()
  })
})

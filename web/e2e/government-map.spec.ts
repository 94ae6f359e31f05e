import { readFile } from 'node:fs/promises'
import { violationsOf } from './axe'
import { at, badge, expect, hashOf, seen, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

test('ROUTE-012 a city looks at its bikes and counts them by area, with nothing to tell a bike and no one named', async ({ page }) => {
  await page.goto(at('/vehicle/government-operation-map'))
  await expect(page.getByRole('region', { name: '车辆地图' })).toBeVisible()
  await expect(badge(page)).toHaveText('实时')
  await expect.poll(async () => (await seen(page)).paints, { timeout: 30_000 }).toBeGreaterThan(0)
  await page.getByRole('button', { name: '各服务区车辆' }).click()
  const counts = page.getByRole('complementary', { name: '各服务区车辆' })
  await expect(counts.getByRole('row').nth(1)).toBeVisible()
  expect(await violationsOf(page)).toEqual([])
  const [name, shelved] = await counts.getByRole('row').nth(1).locator('th, td').allInnerTexts()
  const saved = page.waitForEvent('download')
  await counts.getByRole('button', { name: '导出' }).click()
  const file = await readFile((await (await saved).path()) ?? '', 'utf8')
  expect(file).toContain(`${name},`)
  expect(file.split('\r\n')[0]).toContain('服务区,上架,可租')
  // Of one area, every bike of it is on the map, however far out.
  await page.getByRole('combobox', { name: '服务区' }).fill(name ?? '')
  await page.locator('.ant-select-dropdown:visible .ant-select-item-option').first().click()
  await page.keyboard.press('Escape')
  expect(hashOf(page)).toContain('area=')
  await page.getByRole('button', { name: '全部服务区' }).click()
  await expect.poll(async () => (await seen(page)).count, { timeout: 20_000 }).toBeGreaterThan(0)
  expect((await seen(page)).count).toBeLessThanOrEqual(Number(shelved?.replaceAll(',', '')) + 20)
  for (const act of ['关锁', '开锁', '寻车铃', '框选车辆']) await expect(page.getByRole('button', { name: act })).toHaveCount(0)
  await page.getByRole('button', { name: '回看最近 7 天' }).click()
  await expect(page.getByText(/正在回看|没有车辆数据|可以回看的时间/).first()).toBeVisible()
})

/** Bikes are found by what they are now, the filter is kept, and all that it leaves is acted on. */
import { readFileSync } from 'node:fs'
import { violationsOf } from './axe'
import { fitsEverywhere, settled } from './built'
import { at, expect, hashOf, SIGNED_IN, test } from './fixtures'
import { ownBikes } from './keeping'
import { adminKeys, call } from './wire'

test.use({ storageState: SIGNED_IN })

test('ROUTE-016 bikes that report nothing are found by their tag, taken away as a file, and all of them acted on', async ({ page, request }) => {
  const { prefix, cars } = await ownBikes(request, 4)
  const tag = `测${prefix.slice(-8)}`
  const tagged = await call(request, adminKeys(), 'POST', '/vehicle/keep', { carIds: cars.slice(0, 3), act: 9, addTags: [tag] })
  expect(tagged.suc, JSON.stringify(tagged)).toBe(true)
  await page.goto(at(`/vehicle/vehicle-screening?tags=${encodeURIComponent(tag)}&online=false`))
  await expect(page.getByRole('heading', { name: '车辆筛选' })).toBeVisible()
  const rows = page.locator('.ant-table tr[data-row-key]')
  await expect(rows).toHaveCount(3)
  await expect(rows.first()).toContainText('离线')

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: '导出', exact: true }).click()
  const lines = readFileSync(await (await download).path(), 'utf8').trim().split('\r\n')
  expect(lines).toHaveLength(4)
  expect(lines.join('\n')).not.toContain(cars[3])

  await page.getByRole('button', { name: '操作全部筛选结果' }).click()
  await page.getByRole('menuitem', { name: '下架' }).click()
  const question = page.getByRole('dialog', { name: /批量下架「/ })
  await expect(question).toContainText('共 3 辆')
  await question.getByLabel('原因').fill('台风')
  await question.getByRole('button', { name: '批量下架' }).click()
  await expect(page.getByText('已下架 3 辆')).toBeVisible()
  await expect(rows.filter({ hasText: '已下架' })).toHaveCount(3)
  await settled(page)
  expect(await violationsOf(page)).toEqual([])
  await fitsEverywhere(page, 'screening')
})

test('ROUTE-016 bikes are sorted by battery over the whole city, cut down to a band of it', async ({ page }) => {
  await page.goto(at('/vehicle/vehicle-screening?online=true&socMin=1&socMax=99'))
  const rows = page.locator('.ant-table tr[data-row-key]')
  await expect(rows.first()).toBeVisible()
  await page.getByRole('columnheader', { name: '电量' }).click()
  await expect.poll(() => hashOf(page)).toContain('sort=')
  await settled(page)
  const shown = await rows.evaluateAll((all) => all.map((row) => Number(/(\d+)%/.exec(row.textContent ?? '')?.[1] ?? Number.NaN)))
  expect(shown.length).toBeGreaterThan(1)
  const sorted = hashOf(page).includes('sort=-') ? shown.toSorted((a, b) => b - a) : shown.toSorted((a, b) => a - b)
  expect(shown).toEqual(sorted)
  for (const soc of shown) expect(soc).toBeLessThan(100)
})

import { at, badge, expect, seen, signedInAt, test } from './fixtures'
import { openLine } from './line'

test.use({ allowed: [/net::ERR_/] })

test('a map that loses its server says so, and recovers by itself when it is back', async ({ browser, clean }) => {
  const line = await openLine()
  const context = await browser.newContext({ storageState: signedInAt(line.origin) })
  clean(context)
  const page = await context.newPage()
  await page.goto(at('/vehicle/operation-map', line.origin))
  await expect(badge(page)).toHaveText('实时', { timeout: 30_000 })
  await expect.poll(async () => (await seen(page)).count).toBeGreaterThan(0)
  await page.evaluate(() => document.body.setAttribute('data-same-page', 'yes'))

  await line.cut()
  await expect(badge(page)).toHaveText('已断开')
  await expect(page.getByText(/数据停在 \d+ 秒前；灰色车辆不代表现在的位置/)).toBeVisible({ timeout: 20_000 })
  const figures = page.getByRole('group', { name: '车辆概况' })
  const color = () => figures.locator('.opmap-kpi-figure').first().evaluate((figure) => getComputedStyle(figure).color)
  const grey = await color()
  const before = await seen(page)
  expect(before.count).toBeGreaterThan(0)

  await line.mend()
  await expect(badge(page)).toHaveText('实时', { timeout: 30_000 })
  await expect(page.getByText(/数据停在/)).toBeHidden()
  await expect.poll(color).not.toBe(grey)
  await expect.poll(async () => (await seen(page)).seq).toBeGreaterThan(before.seq)
  await expect.poll(async () => (await seen(page)).moved, { timeout: 30_000 }).toBeGreaterThan(before.moved)
  await expect(page.locator('body')).toHaveAttribute('data-same-page', 'yes')
  await context.close()
  await line.cut()
})

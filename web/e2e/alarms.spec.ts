/** A bike is carried off by a van: the inbox tells within seconds, somebody takes it on, and says what came of it. */
import { violationsOf } from './axe'
import { at, expect, SIGNED_IN, test } from './fixtures'
import { cityBike } from './keeping'
import { theft } from './theft'
import { adminKeys, call } from './wire'

test.use({ storageState: SIGNED_IN })

test('a theft is in the inbox within five seconds, is taken on, found on the map, and settled', async ({ page, request }) => {
  await page.goto(at('/log'))
  const stolen = await theft(await cityBike(request))
  await page.getByRole('button', { name: /^报警/ }).click()
  const inbox = page.getByRole('dialog', { name: '报警' })
  const entry = inbox.getByRole('listitem').filter({ hasText: stolen.carId }).filter({ hasText: '异常移动' })
  const goneAt = await stolen.goneAt
  await expect(entry).toBeVisible()
  const ticket = await call<{ rows: { firstAt: number }[] }>(request, adminKeys(), 'GET', '/vehicle/alarm/list', { page: '1', pageSize: '10', keyword: stolen.carId, kind: '2' })
  expect((ticket.data.rows[0]?.firstAt ?? Infinity) - goneAt, 'from beyond doubt to the ticket, ms').toBeLessThan(5_000)
  expect(await violationsOf(page)).toEqual([])

  await entry.getByRole('button', { name: '确认' }).click()
  await expect(entry).toContainText('处理中')
  await entry.getByRole('link', { name: '在地图上查看' }).click()
  await expect(page.getByRole('complementary', { name: `车辆 ${stolen.carId}` })).toBeVisible()

  await page.getByRole('button', { name: /^报警/ }).click()
  await entry.getByRole('button', { name: '处理完成' }).click()
  const question = page.getByRole('dialog', { name: /处理完成/ })
  await expect(question.getByRole('button', { name: '处理完成' })).toBeDisabled()
  await question.getByLabel('处理结果').fill('已联系货车司机，车辆追回')
  await question.getByRole('button', { name: '处理完成' }).click()
  await expect(page.getByText('处理结果已记录')).toBeVisible()
  await expect(entry).toHaveCount(0)

  await page.keyboard.press('Escape')
  await expect(inbox).toHaveCount(0)
  // Among all tickets it stands with who said what.
  await page.goto(at(`/vehicle/vehicle-query?view=alarms&keyword=${stolen.carId}&kind=2`))
  const row = page.getByRole('row').filter({ hasText: stolen.carId }).filter({ hasText: '异常移动' })
  await expect(row).toContainText('已处理')
  await row.click()
  await expect(page.locator('.ant-drawer-open')).toContainText('已联系货车司机，车辆追回')
  stolen.end()
})

test('an alarm that was none goes in one click, with its cause', async ({ page, request }) => {
  const stolen = await theft(await cityBike(request))
  await stolen.goneAt
  await page.goto(at(`/vehicle/vehicle-query?keyword=${stolen.carId}`))
  await page.getByRole('row').filter({ hasText: stolen.carId }).click()
  const drawer = page.locator('.ant-drawer-open')
  await drawer.getByRole('tab', { name: '报警' }).click()
  const entry = drawer.getByRole('listitem').filter({ hasText: '异常移动' })
  await entry.getByRole('button', { name: '误报' }).click()
  await page.getByRole('menuitem', { name: '运维操作' }).click()
  await expect(entry).toContainText('误报')
  await expect(entry.getByRole('button')).toHaveCount(0)
  stolen.end()
})

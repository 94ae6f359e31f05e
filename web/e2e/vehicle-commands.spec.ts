/** Bikes are taken off the street, put into stock, refused to go back, tagged and lost: by hand, many at once. */
import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { violationsOf } from './axe'
import { fitsEverywhere } from './built'
import { at, expect, SIGNED_IN, test } from './fixtures'
import { ownBikes } from './keeping'

test.use({ storageState: SIGNED_IN })

const rows = (page: Page) => page.locator('.ant-table tr[data-row-key]')
const bar = (page: Page) => page.getByRole('region', { name: '批量操作' })

async function markAll(page: Page, count: number): Promise<void> {
  await expect(rows(page)).toHaveCount(count)
  await page.locator('.ant-table-thead .ant-checkbox-input').check()
  await expect(bar(page)).toContainText(`已选择 ${count} 项`)
}

async function confirm(page: Page, act: string, reason?: string): Promise<void> {
  const question = page.getByRole('dialog', { name: new RegExp(`${act}「`) })
  if (reason !== undefined) {
    await expect(question.getByRole('button', { name: act, exact: true })).toBeDisabled()
    await question.getByLabel('原因').fill(reason)
  }
  await question.getByRole('button', { name: act, exact: true }).click()
}

test('many go off the street and into stock; what cannot go back is told row by row, taken away and tried again', async ({ page, request }) => {
  const { prefix } = await ownBikes(request, 3)
  await page.goto(at(`/vehicle/vehicle-query?keyword=${prefix}`))
  await markAll(page, 3)
  await bar(page).getByRole('button', { name: '下架' }).click()
  await confirm(page, '批量下架', '冬季回收')
  await expect(page.getByText('已下架 3 辆')).toBeVisible()
  await expect(rows(page).filter({ hasText: '已下架' })).toHaveCount(3)

  await markAll(page, 3)
  await bar(page).getByRole('button', { name: '入库' }).click()
  await confirm(page, '批量入库')
  await expect(page.getByText('已入库 3 辆')).toBeVisible()

  await markAll(page, 3)
  expect(await violationsOf(page)).toEqual([])
  await bar(page).getByRole('button', { name: '上架' }).click()
  await confirm(page, '批量上架')
  const outcome = page.getByRole('dialog').filter({ hasText: '3 辆未能处理' })
  await expect(outcome.getByText('车辆没有 15 分钟内的定位，不能上架')).toHaveCount(3)
  const download = page.waitForEvent('download')
  await outcome.getByRole('button', { name: '下载未完成明细' }).click()
  const lines = readFileSync(await (await download).path(), 'utf8').trim().split('\r\n')
  expect(lines).toHaveLength(4)
  expect(lines[1]).toContain(`${prefix}-0,未能处理,车辆没有 15 分钟内的定位`)
  await outcome.getByRole('button', { name: '重试未完成的' }).click()
  await expect(outcome.getByRole('button', { name: '已重新提交，进度见页面右上角' })).toBeDisabled()
})

test('one is called something and reported lost; its drawer and its log say so', async ({ page, request }) => {
  const { cars } = await ownBikes(request, 1)
  const [car = ''] = cars
  await page.goto(at(`/vehicle/vehicle-query?keyword=${car}`))
  await markAll(page, 1)
  await bar(page).getByRole('button', { name: '设置标签' }).click()
  const said = page.getByRole('dialog', { name: `设置标签：${car}` })
  await said.getByLabel('添加标签').fill('重点保障')
  await said.getByLabel('添加标签').press('Enter')
  await said.getByRole('button', { name: '下一步' }).click()
  await confirm(page, '设置标签')
  await expect(page.getByText('已设置标签 1 辆')).toBeVisible()

  await markAll(page, 1)
  await bar(page).getByRole('button', { name: '更多操作' }).click()
  await page.getByRole('menuitem', { name: '报失' }).click()
  await confirm(page, '报失', '巡检三天未找到')
  await expect(page.getByText('已报失 1 辆')).toBeVisible()
  await expect(rows(page).filter({ hasText: '丢失' })).toHaveCount(1)
  await rows(page).first().click()
  await expect(page.locator('.ant-drawer-open')).toContainText('告警：报失')
  await fitsEverywhere(page, 'lost')
  await page.goto(at(`/vehicle-info?carId=${car}`))
  await expect(page.locator('.vehicle-info-head')).toContainText('重点保障')
  await page.getByRole('tab', { name: '车辆日志' }).click()
  const life = page.getByRole('table', { name: '车辆日志' }).or(page.locator('.ant-table'))
  await expect(life.first()).toContainText('车辆报失：巡检三天未找到')
})

test('a command waits for a bike that is away, is seen where it stands, and taken back', async ({ page, request }) => {
  const { cars, prefix } = await ownBikes(request, 2)
  const [car = ''] = cars
  await page.goto(at(`/vehicle-info?carId=${car}`))
  await page.getByRole('button', { name: '电门关' }).click()
  const asked = page.getByRole('dialog', { name: `对 ${car} 电门关` })
  await expect(asked.getByText('排队，8 小时内上线后下发')).toBeVisible()
  await asked.getByRole('textbox').fill('车辆离线，防止被骑走')
  expect(await violationsOf(page)).toEqual([])
  await asked.getByRole('button', { name: '电门关' }).click()
  await expect(page.getByTestId('command-outcome')).toContainText(/排队中.*车辆上报后下发，至 \d\d-\d\d \d\d:\d\d/)
  await page.getByRole('tab', { name: '指令' }).click()
  await expect(page.locator('.ant-table').last()).toContainText('排队至')
  await fitsEverywhere(page, 'waiting')
  await page.setViewportSize({ width: 1366, height: 768 })

  // What opens a bike is sent at once or not at all.
  await page.getByRole('button', { name: '开锁' }).click()
  await expect(page.getByRole('dialog', { name: `对 ${car} 开锁` })).not.toContainText('排队')
  await page.keyboard.press('Escape')

  await page.getByTestId('command-outcome').getByRole('button', { name: '取消排队' }).click()
  await page.getByRole('dialog', { name: '取消排队「电门关」？' }).getByRole('button', { name: '取消排队' }).click()
  await expect(page.getByText('已取消排队')).toBeVisible()
  await expect(page.getByTestId('command-outcome')).toContainText('已取消')

  // Of many each is answered, and waits.
  await page.goto(at(`/vehicle/vehicle-query?keyword=${prefix}`))
  await markAll(page, 2)
  await bar(page).getByRole('button', { name: '关锁' }).click()
  const many = page.getByRole('dialog', { name: '关锁：2 辆' })
  await expect(many).toContainText('在线的车辆立即下发')
  await many.getByRole('button', { name: '下一步' }).click()
  await confirm(page, '批量关锁')
  await expect(page.getByText('已下发关锁指令 2 辆')).toBeVisible()
})

import type { Page } from '@playwright/test'

import { violationsOf } from './axe'
import { at, badge, expect, failing, SIGNED_IN, signedInAt, test } from './fixtures'
import { openLine } from './line'
import { endPaid, machine, ride } from './rides'

test.use({ storageState: SIGNED_IN })

const OPERATION = '/screenHome'
const REVENUE = '/screenHome1'
const DAY_MS = 86_400_000
/** What moves a map has ended after this. */
const MOTION_MS = 500

/** A figure of a wall as it is read out. */
async function figureOf(page: Page, name: string): Promise<number> {
  const text = await page.locator(`[data-figure="${name}"] .screen-aside`).textContent()
  return Number((text ?? '').replaceAll(/[,%]/g, ''))
}

const samePage = (page: Page) => page.evaluate(() => document.body.setAttribute('data-same-page', 'yes'))

test('CQRS-016 ROUTE-006 a ride that begins is on 运营大屏 without a reload, sharp on a screen of any size', async ({ page, request }) => {
  await page.setViewportSize({ width: 1920, height: 1080 })
  await page.goto(at(OPERATION))
  await expect(page.getByRole('region', { name: '车辆状态' })).toBeVisible({ timeout: 30_000 })
  await samePage(page)
  const before = await figureOf(page, '今日订单')
  const machines = await machine()
  const begun = await ride(machines, 5_000)
  await expect.poll(async () => figureOf(page, '今日订单'), { timeout: 30_000 }).toBeGreaterThan(before)
  await expect(page.locator('body')).toHaveAttribute('data-same-page', 'yes')
  await endPaid(request, machines, begun)

  for (const name of ['车辆状态', '电量分布', '闲置分档', '实时告警', '站点供需', '今日订单', '丢单原因']) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other, so that the one that is missing is named
    await expect(page.getByRole('region', { name, exact: true })).toBeVisible()
  }
  // Each says where it comes from and leads to its rows.
  await page.getByRole('button', { name: '车辆状态的口径' }).focus()
  await expect(page.getByText(/每辆车只计一次/)).toBeVisible()
  await expect(page.getByRole('link', { name: '在运营地图上查看' })).toBeVisible()
  await page.keyboard.press('Escape')

  const ratio = () =>
    page.locator('.screen-chart canvas').first().evaluate((canvas) => (canvas as HTMLCanvasElement).width / canvas.getBoundingClientRect().width)
  expect(await ratio()).toBeGreaterThan(0.95)
  await page.setViewportSize({ width: 3840, height: 2160 })
  await expect.poll(ratio).toBeGreaterThan(0.95)
  const bikes = page.locator('.screen-map canvas').last()
  await expect.poll(async () => bikes.evaluate((canvas) => (canvas as HTMLCanvasElement).width / canvas.getBoundingClientRect().width)).toBeGreaterThan(0.9)
})

test('ROUTE-007 money that is earned is on 营收大屏 without a reload, and agrees with 每日统计', async ({ page, request }) => {
  await page.setViewportSize({ width: 1920, height: 1080 })
  await page.goto(at(REVENUE))
  await expect(page.getByRole('region', { name: '今日总收益' })).toBeVisible({ timeout: 30_000 })
  await samePage(page)
  const before = await figureOf(page, '应收')
  const machines = await machine()
  const cents = await endPaid(request, machines, await ride(machines, 5_000))
  await expect.poll(async () => figureOf(page, '应收'), { timeout: 30_000 }).toBeGreaterThanOrEqual(Math.round(before * 100 + cents) / 100)
  await expect(page.locator('body')).toHaveAttribute('data-same-page', 'yes')
  expect(await figureOf(page, '今日总收益')).toBeGreaterThan(0)
})

test('the map of a wall shows all areas again when the tiles beside it leave it less room, and more', async ({ page }) => {
  // As most people have it: what moves can undo where a map was sent meanwhile.
  await page.emulateMedia({ reducedMotion: 'no-preference' })
  await page.setViewportSize({ width: 1920, height: 1080 })
  // Coming from another page the areas are known before the map is.
  await page.goto(at(OPERATION))
  await expect(page.getByRole('region', { name: '车辆状态' })).toBeVisible({ timeout: 30_000 })
  await page.goto(at(REVENUE))
  const scale = page.getByRole('region', { name: '单均金额分布图' }).locator('.leaflet-control-scale-line')
  await expect(scale).toHaveText(/m$/, { timeout: 30_000 })
  /** Metres that the scale's bar stands for. */
  const wide = async () => {
    const [, of, thousands] = /^([\d.]+) (k?)m$/.exec((await scale.textContent()) ?? '') ?? []
    return Number(of) * (thousands === 'k' ? 1_000 : 1)
  }
  await expect.poll(wide).toBeLessThan(20_000)
  const before = await wide()
  await page.waitForTimeout(MOTION_MS)
  expect(await wide(), 'nothing takes it back').toBe(before)
  const small = await page.addStyleTag({ content: '.screen-middle > .tile-map { flex: none !important; height: 170px }' })
  await expect.poll(wide).toBeGreaterThan(before)
  await small.evaluate((tag) => (tag as Element).remove())
  await expect.poll(wide).toBe(before)
})

test('AMB-008 the button at its head shows the wall alone on the whole screen', async ({ page }) => {
  await page.goto(at(OPERATION))
  await expect(page.getByRole('region', { name: '车辆状态' })).toBeVisible({ timeout: 30_000 })
  await page.getByRole('button', { name: '全屏', exact: true }).click()
  await expect.poll(async () => page.evaluate(() => document.fullscreenElement?.className)).toContain('screen-wall')
  await page.getByRole('button', { name: '退出全屏' }).click()
  await expect.poll(async () => page.evaluate(() => document.fullscreenElement)).toBeNull()
})

test('AMB-084 areas are chosen on the wall and stay chosen', async ({ page }) => {
  await page.goto(at(OPERATION))
  await expect(page.getByRole('region', { name: '车辆状态' })).toBeVisible({ timeout: 30_000 })
  await page.getByRole('combobox', { name: '服务区' }).click()
  await page.locator('.ant-select-item-option').first().click()
  await page.keyboard.press('Escape')
  const stored = () => page.evaluate(() => localStorage.getItem('opAreaIdsBigScreen'))
  await expect.poll(stored).toMatch(/^\d+$/)
  const chosen = await stored()
  await page.reload()
  await expect(page.getByText('已选 1 个服务区')).toBeVisible({ timeout: 30_000 })
  expect(await stored()).toBe(chosen)
})

test.describe('what goes wrong', () => {
  test.use({ allowed: [/net::ERR_/] })

  test('a wall that loses its server says since when, and comes back by itself', async ({ browser, clean }) => {
    const line = await openLine()
    const context = await browser.newContext({ storageState: signedInAt(line.origin) })
    clean(context)
    const page = await context.newPage()
    await page.goto(at(OPERATION, line.origin))
    await expect(page.getByRole('region', { name: '车辆状态' })).toBeVisible({ timeout: 30_000 })
    await expect(badge(page)).toHaveText('实时', { timeout: 30_000 })
    await samePage(page)

    await line.cut()
    await expect(page.getByText(/起连接中断，正在自动重连/)).toBeVisible({ timeout: 20_000 })
    await expect(page.locator('.tile-aging').first()).toBeVisible({ timeout: 20_000 })

    await line.mend()
    await expect(page.getByText(/起连接中断/)).toBeHidden({ timeout: 30_000 })
    await expect(page.getByRole('region', { name: '今日订单', exact: true })).toHaveClass(/tile-fresh/, { timeout: 30_000 })
    await expect(page.locator('body')).toHaveAttribute('data-same-page', 'yes')
    await context.close()
    await line.cut()
  })
})

test.describe('a wall that hangs for days', () => {
  // Its clock goes ahead of the server's at once: the first call after that is refused, and told the time.
  test.use({ apart: true, allowed: [failing(400, '/auth/token')] })

  test('CQRS-022 AMB-103 past two days it is still the wall and no login', async ({ page }) => {
    await page.clock.install()
    await page.goto(at(OPERATION))
    await expect(page.getByRole('region', { name: '车辆状态' })).toBeVisible({ timeout: 30_000 })
    await samePage(page)
    await page.clock.fastForward(2 * DAY_MS + 3_600_000)
    await expect(page.getByRole('region', { name: '车辆状态' })).toBeVisible({ timeout: 30_000 })
    expect(new URL(page.url()).hash).toContain(OPERATION)
    // Nobody touched it for an hour.
    await expect(page.locator('.screen-wall')).toHaveClass(/pointer-gone/)
  })
})

test('ROUTE-008 运营看板 shows today in the frame, on a phone too', async ({ page }) => {
  for (const [width, height] of [[1366, 768], [390, 844]] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one screen after the other
    await page.setViewportSize({ width, height })
    // oxlint-disable-next-line no-await-in-loop -- one screen after the other
    await page.goto(at('/home'))
    // oxlint-disable-next-line no-await-in-loop -- one screen after the other
    await expect(page.getByRole('region', { name: '车辆状态' })).toBeVisible({ timeout: 30_000 })
    // oxlint-disable-next-line no-await-in-loop -- one screen after the other
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  }
})

test('walls and the board are accessible', async ({ page }) => {
  await page.setViewportSize({ width: 1920, height: 1080 })
  for (const path of [OPERATION, REVENUE, '/home']) {
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    await page.goto(at(path))
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    await expect(page.locator('.screen-tile').first()).toBeVisible({ timeout: 30_000 })
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    expect(await violationsOf(page), path).toEqual([])
  }
})

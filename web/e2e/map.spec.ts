import type { Page } from '@playwright/test'
import { violationsOf } from './axe'
import { pictured } from './built'
import { at, badge, expect, hashOf, seen, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

/** Opens the map near enough that bikes come one by one, not as counts of cells. */
async function openNear(page: Page, query = ''): Promise<void> {
  await page.goto(at(`/vehicle/operation-map${query}`))
  await expect(page.getByRole('region', { name: '运营地图' })).toBeVisible()
  await expect(badge(page)).toHaveText('实时')
  await expect.poll(async () => (await seen(page)).paints, { timeout: 30_000 }).toBeGreaterThan(0)
  const near = async () => {
    const { count, mode } = await seen(page)
    return count > 0 && mode !== 'cells'
  }
  await expect(async () => {
    if (!(await near())) await page.getByRole('button', { name: '放大' }).click()
    // Bikes come with the next tick.
    await expect.poll(near, { intervals: [100], timeout: 2500 }).toBe(true)
  }).toPass({ intervals: [0], timeout: 30_000 })
}

interface Drawn {
  slot: number
  x: number
  y: number
  kind: number
}

/** Signs that stand on the open map, and with each the slots painted over its exact centre, the topmost first. */
async function standing(page: Page): Promise<{ sign: Drawn; over: number[] }[]> {
  return page.evaluate(() => {
    const fleet = window['__fleet']
    if (fleet === undefined) return []
    const signs = fleet.signs()
    const radius = fleet.view.signSize / 2
    const open = signs.filter(({ x, y, kind }) => (kind & 15) !== 1 && document.elementFromPoint(x, y)?.closest('.leaflet-container'))
    // A bike that rides by would be gone when the click arrives.
    const calm = open.filter(({ x, y }) => signs.every((other) => (other.kind & 15) !== 1 || Math.hypot(other.x - x, other.y - y) > 40))
    const free = calm.filter(({ x, y }) => fleet.stops().every((stop) => Math.hypot(stop.x - x, stop.y - y) > 34))
    return free.map((sign) => {
      const over = signs.filter(({ x, y }) => Math.hypot(x - sign.x, y - sign.y) <= radius).map(({ slot }) => slot)
      return { sign, over: over.toReversed() }
    })
  })
}

const whoIs = (page: Page, slot: number) => page.evaluate((asked) => window['__fleet']?.who(asked) ?? null, slot)
const drawerOf = (page: Page, carId: string | null) => page.getByRole('complementary', { name: `车辆 ${carId}` })

/** Clicks a standing bike, the one that stands lowest where this is asked for; answers its number. Where all stand together, from nearer. */
async function chooseBike(page: Page, lowest = false): Promise<string> {
  let nearer = 2
  await expect(async () => {
    const single = (await standing(page)).filter(({ sign, over }) => (sign.kind & 15) === 0 && over.length === 1)
    const [bike] = lowest ? single.toSorted((one, other) => other.sign.y - one.sign.y) : single
    if (bike === undefined) {
      if (nearer > 0) await page.getByRole('button', { name: '放大' }).click()
      nearer -= 1
      throw new Error('no rentable bike by itself in view')
    }
    await page.mouse.click(bike.sign.x, bike.sign.y)
    await expect(page.getByRole('complementary')).toBeVisible({ timeout: 3000 })
  }).toPass({ intervals: [500, 1000], timeout: 20_000 })
  const carId = new URLSearchParams(hashOf(page).split('?')[1]).get('carId')
  expect(carId).not.toBeNull()
  return carId ?? ''
}

/** Whether the ring of the chosen bike lies free of what lies over the map. */
async function expectFree(page: Page): Promise<void> {
  await expect(page.locator('.bike-selected')).toBeVisible()
  await expect
    .poll(() =>
      page.evaluate(() => {
        const ring = document.querySelector('.bike-selected')?.getBoundingClientRect()
        if (ring === undefined) return ['no ring']
        const map = document.querySelector('.opmap')?.getBoundingClientRect()
        const covering = ['.opmap-drawer', '.opmap-kpis', '.opmap-left > *'].flatMap((name) => [...document.querySelectorAll(name)])
        const names = covering
          .filter((panel) => {
            const box = panel.getBoundingClientRect()
            return box.left < ring.right && box.right > ring.left && box.top < ring.bottom && box.bottom > ring.top
          })
          .map((panel) => panel.className)
        const inside = map !== undefined && ring.left >= map.left && ring.right <= map.right && ring.top >= map.top && ring.bottom <= map.bottom
        return inside ? names : [...names, 'off the map']
      }),
    )
    .toEqual([])
}

test.describe('the operation map', () => {
  test('bikes move by themselves, and the strip counts them', async ({ page }) => {
    await openNear(page)
    const before = await seen(page)
    // A city that has just begun has few rides, and none may be near.
    await expect.poll(async () => (await seen(page)).moved, { timeout: 90_000 }).toBeGreaterThan(before.moved)
    await expect.poll(async () => (await seen(page)).seq).toBeGreaterThan(before.seq)
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
    await drawer.getByRole('tab', { name: '指令' }).click()
    const told = drawer.getByRole('list', { name: '指令记录' })
    await expect(told).toContainText(/关锁.*下发.*发出.*应答：成功，用时/s)
    await pictured(page, 'told')
    await drawer.getByRole('tab', { name: '今日订单' }).click()
    await expect(drawer.getByRole('link', { name: '全部订单' })).toBeVisible()
    await pictured(page, 'orders')
  })

  test('unlocking asks for a reason and does nothing without one', async ({ page }) => {
    await openNear(page)
    await chooseBike(page)
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && request.url().includes('/device/') && sent.push(request.url()))
    await page.getByRole('complementary').getByRole('button', { name: '开锁' }).click()
    const question = page.getByRole('dialog')
    await expect(question.getByRole('button', { name: '开锁' })).toBeDisabled()
    await question.getByRole('textbox').press('Enter')
    await question.getByRole('textbox').fill('用户来电无法还车')
    await expect(question.getByRole('button', { name: '开锁' })).toBeEnabled()
    await question.getByRole('button', { name: '取消' }).click()
    await expect(question).toBeHidden()
    // What was on its way before this answer would have been seen.
    await whoIs(page, 0)
    expect(sent).toEqual([])
  })

  test('a click on the exact centre of a drawn bike opens what is on top there, and several give a list', async ({ page }) => {
    await openNear(page)
    await page.getByRole('button', { name: '放大' }).click()
    let [single, listed] = [0, 0]
    await expect(async () => {
      const bikes = await standing(page)
      const crowd = bikes.find(({ over }) => over.length > 1)
      const bike = single < 4 || crowd === undefined ? bikes[single % Math.max(1, bikes.length)] : crowd
      if (bike === undefined) throw new Error('no bike stands in view')
      const [top = -1] = bike.over
      const carId = await whoIs(page, top)
      await page.mouse.click(bike.sign.x, bike.sign.y)
      if (bike.over.length > 1) {
        const choice = page.getByRole('dialog', { name: `此处有 ${bike.over.length} 辆车` })
        await expect(choice.getByRole('option').first()).toContainText(carId ?? 'nobody', { timeout: 3000 })
        await expect(choice.getByRole('option').first()).toContainText(/%$/)
        await page.keyboard.press('Enter')
        listed += 1
      }
      await expect(drawerOf(page, carId)).toBeVisible({ timeout: 3000 })
      single += 1
      await page.keyboard.press('Escape')
      await expect(page.getByRole('complementary')).toBeHidden()
      expect(single).toBeGreaterThan(4)
    }).toPass({ intervals: [200], timeout: 45_000 })
    expect(single).toBeGreaterThan(listed)
  })

  test('bikes that share a place are counted, and the count opens as a list', async ({ page }) => {
    await openNear(page)
    await expect
      .poll(() => page.evaluate(() => (window['__fleet']?.stops() ?? []).reduce((sum, stop) => sum + stop.total, 0) + (window['__fleet']?.signs().length ?? 0) - (window['__fleet']?.paint.inView ?? -1)))
      .toBe(0)
    const choice = page.getByRole('dialog', { name: /^此处有 \d+ 辆车$/ })
    await expect(async () => {
      const open = await page.evaluate(() =>
        (window['__fleet']?.stops() ?? []).filter(({ x, y }) => document.elementFromPoint(x, y)?.closest('.leaflet-container')).toSorted((a, b) => b.total - a.total),
      )
      const [stop] = open
      if (stop === undefined) throw new Error('no count in view')
      await page.mouse.click(stop.x, stop.y)
      await expect(choice).toBeVisible({ timeout: 1500 })
    }).toPass({ timeout: 30_000 })
    await page.keyboard.press('ArrowDown')
    const second = choice.getByRole('option').nth(1)
    await expect(second).toHaveAttribute('aria-selected', 'true')
    await expect(second).not.toContainText('…')
    const carId = await second.locator('b').textContent()
    await page.keyboard.press('Enter')
    await expect(choice).toBeHidden()
    await expect(drawerOf(page, carId)).toBeVisible()
  })

  test('one word has one figure, and the list beside the map holds as many', async ({ page }) => {
    await openNear(page)
    const legend = page.getByRole('region', { name: '状态筛选' })
    const strip = page.getByRole('group', { name: '车辆概况' })
    for (const word of ['骑行中', '低电', '告警', '离线']) {
      await expect
        .poll(() =>
          page.evaluate((name) => {
            const figureIn = (place: string) =>
              [...document.querySelectorAll(`${place} button`)].find((button) => button.textContent?.startsWith(name))?.textContent?.replace(name, '')
            return figureIn('.opmap-kpis') === figureIn('.opmap-rail ul') && figureIn('.opmap-kpis') !== undefined
          }, word),
        )
        .toBe(true)
    }
    await strip.getByRole('button', { name: /^低电/ }).hover()
    await expect(page.getByRole('tooltip')).toContainText('不重复计入低电')
    await legend.getByRole('button', { name: /^待使用/ }).click()
    const list = page.getByRole('region', { name: '车辆列表' })
    await expect
      .poll(() =>
        page.evaluate(() => {
          const shown = document.querySelector('.opmap-list-grip b')?.textContent?.replace(' 辆', '')
          const counted = [...document.querySelectorAll('.opmap-rail ul button')].find((button) => button.textContent?.startsWith('待使用'))
          return shown !== undefined && counted?.textContent === `待使用${shown}`
        }),
      )
      .toBe(true)
    // Rows that are in sight are named; the others are not asked for.
    await expect(list.getByRole('option').first()).not.toContainText('…')
    await page.keyboard.press('n')
    const first = new URLSearchParams(hashOf(page).split('?')[1])
    await expect(page.getByRole('complementary')).toBeVisible()
    const chosen = () => new URLSearchParams(hashOf(page).split('?')[1]).get('carId')
    expect(first.get('f')).toBe('rentable')
    const one = chosen()
    await expectFree(page)
    await list.getByRole('button', { name: '下一辆' }).click()
    await expect.poll(chosen).not.toBe(one)
    const two = chosen()
    await expectFree(page)
    await page.keyboard.press('p')
    await expect.poll(chosen).not.toBe(two)
  })

  for (const [width, height] of [
    [1366, 768],
    [820, 1180],
    [390, 844],
  ] as const) {
    test(`at ${width} × ${height} the drawer covers neither the chosen bike nor the strip`, async ({ page }) => {
      await page.setViewportSize({ width, height })
      await openNear(page)
      await chooseBike(page)
      await expectFree(page)
      const cut = await page.evaluate(() => {
        const strip = document.querySelector('.opmap-kpis')
        const drawer = document.querySelector('.opmap-drawer')?.getBoundingClientRect()
        const box = strip?.getBoundingClientRect()
        if (!strip || !box || !drawer) return 'no strip or no drawer'
        const apart = box.right <= drawer.left || box.bottom <= drawer.top
        return strip.scrollWidth <= strip.clientWidth && apart ? '' : `${strip.scrollWidth} in ${strip.clientWidth}`
      })
      expect(cut).toBe('')
    })
  }

  test('a bike at the foot of all that may be looked at is brought out from under the sheet', async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 })
    await openNear(page)
    await chooseBike(page, true)
    await expectFree(page)
  })

  test('the map ends nowhere: it is bounded, and goes no farther out than the city', async ({ page }) => {
    await openNear(page)
    const zoomOf = () => page.evaluate(() => window['__fleet']?.view.zoom ?? 0)
    const out = page.getByRole('button', { name: '缩小' })
    for (let step = 0; step < 12; step += 1) await out.click()
    await expect.poll(zoomOf).toBeLessThan(13)
    expect(await zoomOf()).toBeGreaterThan(8)
    const view = () => page.evaluate(() => window['__fleet']?.view.lng ?? 0)
    await page.getByRole('region', { name: '运营地图' }).locator('.leaflet-container').focus()
    for (let step = 0; step < 40; step += 1) await page.keyboard.press('ArrowRight')
    const east = await view()
    for (let step = 0; step < 10; step += 1) await page.keyboard.press('ArrowRight')
    expect(await view()).toBeCloseTo(east, 3)
  })

  test('by night the frame around the map is dark too, and everything can be read', async ({ page }) => {
    await openNear(page)
    const ground = () => page.getByRole('banner').evaluate((header) => getComputedStyle(header).backgroundColor)
    expect(await ground()).toBe('rgb(255, 255, 255)')
    await page.getByRole('button', { name: '夜间底图' }).click()
    await expect.poll(ground).toBe('rgb(16, 29, 46)')
    await page.getByRole('region', { name: '状态筛选' }).getByRole('button', { name: /^待使用/ }).click()
    await chooseBike(page)
    expect(await violationsOf(page)).toEqual([])
    await page.evaluate((path) => (location.hash = path), '/permissions/role')
    await expect.poll(ground).toBe('rgb(255, 255, 255)')
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

import type { Page } from '@playwright/test'
import { violationsOf } from './axe'
import { administratorRole, at, expect, hashOf, myPhone, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

const sider = (page: Page) => page.locator('.sider')
const widthOf = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => Math.round(element.getBoundingClientRect().width))
const nav = (page: Page) => page.getByRole('navigation', { name: '主菜单' })

test('FRAME-009 FRAME-010 FRAME-014 FRAME-015 FRAME-016 CONST-009 CONST-010 CONST-012 the menu follows the width of the window', async ({ page }) => {
  await page.setViewportSize({ width: 1400, height: 800 })
  await page.goto(at('/log'))
  await expect.poll(() => widthOf(page, '.sider')).toBe(256)
  await expect(page.locator('#content .kept').filter({ visible: true })).toHaveCSS('padding', '24px')
  for (const [width, menu] of [[1199, 80], [1200, 256], [900, 80]] as const) {
    await page.setViewportSize({ width, height: 800 })
    await expect.poll(() => widthOf(page, '.sider'), `${width} px`).toBe(menu)
  }
  await page.getByRole('button', { name: '展开菜单' }).click()
  await expect.poll(() => widthOf(page, '.sider')).toBe(256)
  await page.setViewportSize({ width: 575, height: 800 })
  await expect(sider(page)).toHaveCount(0)
  await expect(page.getByRole('dialog').getByRole('navigation', { name: '主菜单' })).toBeVisible()
  await page.setViewportSize({ width: 576, height: 800 })
  await expect.poll(() => widthOf(page, '.sider')).toBe(80)
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('FRAME-011 AMB-071 on a phone the menu is a drawer, open at first and closed by a choice, the mask or Esc', async ({ page }) => {
  await page.setViewportSize({ width: 500, height: 800 })
  await page.goto(at('/log'))
  await expect(nav(page)).toBeVisible()
  await page.getByRole('menuitem', { name: '权限管理' }).click()
  await page.getByRole('menuitem', { name: '角色列表' }).click()
  await expect(page.getByRole('heading', { name: '角色列表' })).toBeVisible()
  await expect(nav(page)).toBeHidden()
  await page.getByRole('button', { name: '展开菜单' }).click()
  await expect(nav(page)).toBeVisible()
  await page.mouse.click(450, 500)
  await expect(nav(page)).toBeHidden()
  await page.getByRole('button', { name: '展开菜单' }).click()
  await expect(nav(page)).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(nav(page)).toBeHidden()
})

test('the menu goes by keys, and whoever begins with Tab may skip it', async ({ page }) => {
  await page.goto(at('/log'))
  await expect(page.getByRole('banner')).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: '跳到内容' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.locator('#content')).toBeFocused()
  await page.getByRole('menuitem', { name: '权限管理' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: '角色列表' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('menuitem', { name: '角色列表' })).toBeFocused()
  await expect(page.getByRole('menuitem', { name: '角色列表' })).toHaveCSS('outline-style', 'solid')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: '角色列表' })).toBeVisible()
})

test('FRAME-002 FRAME-005 FRAME-006 FRAME-007 each layout has what it is for', async ({ page, browser }) => {
  await page.goto(at('/log'))
  await expect(page.getByRole('banner')).toBeVisible()
  await expect(nav(page)).toBeVisible()
  await page.goto(at('/vehicle-info'))
  await expect(page.getByRole('main')).toBeVisible()
  await expect(page.getByRole('banner')).toHaveCount(0)
  await expect(nav(page)).toHaveCount(0)
  const stranger = await browser.newPage({ storageState: { cookies: [], origins: [] } })
  await stranger.goto(at('/login'))
  await expect(stranger.getByRole('region', { name: '登录' })).toBeVisible()
  await expect(stranger.getByRole('banner')).toHaveCount(0)
  const box = await stranger.locator('.login-card').boundingBox()
  const width = await stranger.evaluate(() => window.innerWidth)
  expect(Math.abs((box?.x ?? 0) + (box?.width ?? 0) / 2 - width / 2)).toBeLessThan(2)
  await stranger.close()
})

test('ACCESS-015 ACCESS-019 ACCESS-020 AMB-082 the menu leaves hidden pages out, breadcrumbs tell the way', async ({ page }) => {
  await page.goto(at('/data/repair-statistics'))
  const crumbs = page.locator('.ant-breadcrumb')
  await expect(crumbs).toHaveText('首页/运维管理/维修统计')
  await expect(crumbs.getByRole('link')).toHaveText(['首页', '运维管理'])
  await crumbs.getByRole('link', { name: '首页' }).click()
  await expect.poll(() => hashOf(page)).toBe('/log')
  await expect(crumbs).toHaveText('首页')
  await page.getByRole('menuitem', { name: '营销管理' }).click()
  await expect(page.getByRole('menuitem', { name: /^兑换券/ })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: '新增兑换券' })).toHaveCount(0)
})

test.describe('in a browser that has seen no page', () => {
  test.use({ apart: true })

  test('ACCESS-017 a first visit to a page fetches its chunk', async ({ page }) => {
    await page.goto(at('/log'))
    await expect(page.getByRole('banner')).toBeVisible()
    const fetched: string[] = []
    page.on('request', (request) => fetched.push(request.url()))
    await page.goto(at('/permissions/role'))
    await expect(page.getByRole('heading', { name: '角色列表' })).toBeVisible()
    expect(fetched.filter((url) => /RoleListPage.*\.js/.test(url))).toHaveLength(1)
  })
})

test.describe('a chunk that does not come', () => {
  test.use({ allowed: [/ChunkLoadError/], apart: true })

  test('ACCESS-018 ERR-011 CONST-007 AMB-081 has failed after two minutes, and can be asked for again', async ({ page }) => {
    const names: string[] = []
    page.on('console', (message) => message.type() === 'error' && names.push(message.text()))
    await page.clock.install()
    await page.goto(at('/log'))
    await expect(page.getByRole('banner')).toBeVisible()
    await page.route(/RoleListPage.*\.js/, () => new Promise(() => undefined))
    // The clock goes on by itself until it stands: the page is asked for between these two moments.
    const now = () => page.evaluate(() => Date.now())
    const before = await now()
    await page.goto(at('/permissions/role'))
    await expect(page.getByRole('status', { name: '加载中' })).toBeVisible()
    const after = await now()
    await page.clock.pauseAt(before + 119_000)
    await expect(page.getByText('页面加载失败，请重试')).toBeHidden()
    await page.clock.runFor(after - before + 2_000)
    await expect(page.getByText('页面加载失败，请重试')).toBeVisible()
    await page.clock.resume()
    expect(names.join()).toContain('ChunkLoadError')
    await expect(page.getByRole('button', { name: '重试' })).toBeVisible()
    await page.unroute(/RoleListPage.*\.js/)
    await page.getByRole('button', { name: '刷新页面' }).click()
    await expect(page.getByRole('heading', { name: '角色列表' })).toBeVisible()
  })
})

test('MODAL-001 MODAL-002 CONST-013 MODAL-004 FRAME-020 the dialog is 1000 px wide, goes by keys, and Esc keeps the selection', async ({ page }) => {
  await page.setViewportSize({ width: 1400, height: 800 })
  await page.goto(at('/log'))
  await page.getByRole('button', { name: '选择服务区' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: '选择' })
  await expect(dialog.getByRole('checkbox').first()).toBeVisible()
  expect(await widthOf(page, '.ant-modal')).toBe(1000)
  await dialog.getByRole('checkbox').first().focus()
  await page.keyboard.press('Space')
  await expect(dialog.getByRole('checkbox').first()).not.toBeChecked()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('banner')).toContainText(/服务区\s*全选/)
  await expect(page.getByRole('button', { name: '选择服务区' })).toBeFocused()
})

test('SEL-004 SEL-008 MODAL-006 FRAME-019 one area chosen: the map counts its bikes alone, and all of them again', async ({ page }) => {
  const onStreet = page.getByRole('button', { name: /^上架 [\d,]+$/ })
  const count = async () => Number((await onStreet.textContent())?.replaceAll(/\D/g, ''))
  await page.goto(at('/vehicle/operation-map'))
  await expect(onStreet).toBeVisible()
  const all = await count()
  expect(all).toBeGreaterThan(1)
  await page.getByRole('button', { name: '选择服务区' }).click()
  const dialog = page.getByRole('dialog', { name: '选择' })
  await dialog.getByRole('button', { name: '取消全选' }).click()
  await dialog.getByRole('button', { name: '确定' }).click()
  await expect(page.getByText('请至少选择一项')).toBeVisible()
  await dialog.getByRole('checkbox').first().check()
  await dialog.getByRole('button', { name: '确定' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('banner')).toContainText(/服务区\s*1/)
  await expect.poll(count).toBeLessThan(all)
  await page.getByRole('button', { name: '选择服务区' }).click()
  await dialog.getByRole('button', { name: '全选', exact: true }).click()
  await dialog.getByRole('button', { name: '确定' }).click()
  await expect(page.getByRole('banner')).toContainText(/服务区\s*全选/)
  await expect.poll(count).toBe(all)
})

test.describe('the settings menu', () => {
  test('FRAME-021 FRAME-024 AMB-090 holds only 退出登录 without a payment account', async ({ page }) => {
    await page.goto(at('/log'))
    await page.getByRole('button', { name: /设置菜单/ }).press('Enter')
    await expect(page.locator('.ant-dropdown').getByRole('menuitem')).toHaveText(['退出登录'])
    await page.keyboard.press('Escape')
    await expect(page.locator('.ant-dropdown').getByRole('menuitem')).toBeHidden()
  })

  test('FRAME-022 FRAME-023 offers to change and to reset the payment password with one', async ({ page }) => {
    await page.addInitScript(() => {
      for (const [key, value] of [['accountLevel', '2'], ['accountStatus', '2'], ['cashierMode', '1']] as const) localStorage.setItem(key, value)
    })
    await page.goto(at('/log'))
    await page.getByRole('button', { name: /设置菜单/ }).click()
    await expect(page.locator('.ant-dropdown').getByRole('menuitem')).toHaveText(['修改支付密码', '重置支付密码', '退出登录'])
  })
})

/** What the tile of the watermark shows: its size, and how its words lie (degrees, counted as a canvas does). */
async function tileOf(page: Page) {
  return page.locator('.watermark').evaluate(async (element) => {
    const image = new Image()
    image.src = getComputedStyle(element).backgroundImage.slice(5, -2)
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = image.naturalWidth
    canvas.height = image.naturalHeight
    const pen = canvas.getContext('2d')
    if (!pen) throw new Error('no canvas')
    pen.drawImage(image, 0, 0)
    const { data } = pen.getImageData(0, 0, canvas.width, canvas.height)
    // The long axis of the ink.
    let [n, sx, sy, sxx, syy, sxy] = [0, 0, 0, 0, 0, 0]
    for (let at = 3; at < data.length; at += 4) {
      if (data[at] === 0) continue
      const x = ((at - 3) / 4) % canvas.width
      const y = Math.floor((at - 3) / 4 / canvas.width)
      n += 1
      sx += x
      sy += y
      sxx += x * x
      syy += y * y
      sxy += x * y
    }
    const cov = (ab: number, a: number, b: number) => ab / n - (a / n) * (b / n)
    const angle = (Math.atan2(2 * cov(sxy, sx, sy), cov(sxx, sx, sx) - cov(syy, sy, sy)) / 2 / Math.PI) * 180
    return { width: canvas.width, height: canvas.height, angle }
  })
}

test('WM-001 WM-004 WM-006 CONST-014 CONST-015 CONST-016 the watermark lies over every page and lets everything through', async ({ page }) => {
  for (const path of ['/log', '/permissions/role', '/vehicle-info']) {
    await page.goto(at(path))
    await expect(page.locator('.watermark')).toHaveCSS('background-repeat', 'repeat')
  }
  await page.goto(at('/permissions/role'))
  const { width, height, angle } = await tileOf(page)
  expect([width, height]).toEqual([400, 300])
  expect(angle).toBeGreaterThan(-32)
  expect(angle).toBeLessThan(-28)
  await expect(page.locator('.watermark')).toHaveAttribute('data-text', new RegExp(`${myPhone().slice(4)}$`))
  await expect(page.locator('.watermark')).toHaveCSS('z-index', '100000')
  // A click at the middle of the window meets what lies below.
  await administratorRole(page).click()
  await expect(page.getByRole('dialog')).toBeVisible()
})

test('BRAND-001 BRAND-005 WM-003 one build shows each client its own name and logo', async ({ page }) => {
  const clients: Record<string, { title: string; logo: string }> = {
    'a.example': { title: '甲城运营平台', logo: './favicon.svg?a' },
    'b.example': { title: '乙城运营平台', logo: './favicon.svg?b' },
  }
  await page.route('**/web/config?*', async (route) => {
    const response = await route.fetch()
    const answer = (await response.json()) as { data: Record<string, unknown> }
    const own = clients[new URL(route.request().url()).searchParams.get('domain') ?? '']
    await route.fulfill({ response, json: { ...answer, data: { ...answer.data, ...own } } })
  })
  for (const [domain, { title, logo }] of Object.entries(clients)) {
    await page.goto(at('/log').replace('/#', `/?domain=${domain}#`))
    await expect(page).toHaveTitle(`首页 · ${title}`)
    await expect(page.locator('.brand img')).toHaveAttribute('src', logo)
    await expect(page.locator('.watermark')).toHaveAttribute('data-text', `${title.replace('运营平台', '')}${myPhone().slice(4)}`)
  }
  await page.getByRole('switch', { name: '隐藏客户品牌' }).click()
  await expect(page).toHaveTitle('首页 · 共享电单车运营平台')
  await page.getByRole('switch', { name: '隐藏客户品牌' }).click()
  await expect(page).toHaveTitle('首页 · 乙城运营平台')
})

for (const [name, chosen] of [
  ['dark menu at the side', { multiTab: 'true' }],
  ['light menu at the side, yellow', { navTheme: 'light', primaryColor: '#FAAD14', multiTab: 'true' }],
  ['light menu at the top, colour-weak', { navTheme: 'light', layout: 'topmenu', colorWeak: 'true' }],
] as const) {
  test(`the frame is accessible: ${name}`, async ({ page }) => {
    await page.addInitScript((settings) => {
      for (const [key, value] of Object.entries(settings)) localStorage.setItem(`ebike_ops__${key}`, value)
    }, chosen)
    await page.goto(at('/permissions/role'))
    await expect(administratorRole(page)).toBeVisible()
    expect(await violationsOf(page)).toEqual([])
  })
}

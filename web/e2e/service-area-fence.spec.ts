/** Edges of service areas: drawn on the map, drawn anew about the fences in them, compared and rolled back. */
import type { Locator, Page } from '@playwright/test'
import { violationsOf } from './axe'
import { at, expect, rowOf, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

const PAGE = '/electronic/service-area-fence'
/** New in every run. */
const mark = Date.now().toString(36)
const area = `边界测试区${mark}`
const fence = `边界测试站${mark}`

const drawer = (page: Page) => page.locator('.ant-drawer-open')
const map = (page: Page) => drawer(page).locator('.fence-draw-map .map-view')
const save = (page: Page) => drawer(page).getByRole('button', { name: '保存' })
const question = (page: Page) => page.getByRole('dialog', { name: '边界与其他服务区重叠' })
const version = (page: Page, number: number) => drawer(page).getByRole('listitem', { name: `第 ${number} 版` })

/** A place in the map's box, by shares of it. */
async function placeIn(box: Locator, [x, y]: readonly [number, number]): Promise<[number, number]> {
  const lies = await box.boundingBox()
  if (lies === null) throw new Error('no map')
  return [lies.x + lies.width * x, lies.y + lies.height * y]
}

async function coordinates(page: Page): Promise<Locator> {
  const box = drawer(page).getByLabel('坐标', { exact: true })
  if (!(await box.isVisible())) await drawer(page).getByText('坐标（WGS-84）').click()
  return box
}

async function give(page: Page, corners: readonly (readonly number[])[]): Promise<void> {
  const box = await coordinates(page)
  await box.fill(corners.map((corner) => corner.join(', ')).join('\n'))
  await drawer(page).getByRole('button', { name: '画到地图上' }).click()
}

async function cornersOf(page: Page): Promise<number[][]> {
  const text = await (await coordinates(page)).inputValue()
  return text === '' ? [] : text.split('\n').map((line) => line.split(', ').map(Number))
}

async function edit(page: Page): Promise<void> {
  await rowOf(page, area).getByRole('button', { name: '编辑' }).click()
  await expect(map(page)).toBeVisible()
  await expect(drawer(page).locator('.edge-corner').first()).toBeVisible()
}

async function open(page: Page): Promise<void> {
  await page.goto(at(`${PAGE}?keyword=${encodeURIComponent(area)}`))
  await edit(page)
}

test.describe.serial('the edge of one area', () => {
  let drawn: number[][] = []

  test('ROUTE-069 API-072 an area is drawn; over others it is saved when that is meant', async ({ page }) => {
    await page.goto(at(PAGE))
    await expect(page.getByRole('heading', { name: '服务区围栏' })).toBeVisible()
    await page.getByRole('button', { name: '新增服务区' }).first().click()
    await drawer(page).getByLabel('服务区名称').fill(area)
    await drawer(page).getByLabel('运营代理').click()
    await page.locator('.ant-select-item-option').filter({ hasText: '轻骑出行' }).click()
    await expect(map(page)).toBeVisible()
    await save(page).click()
    await expect(drawer(page).getByText('请在地图上画出边界')).toBeVisible()
    await map(page).scrollIntoViewIfNeeded()
    await page.waitForTimeout(1000)
    const ring = [[0.25, 0.25], [0.75, 0.25], [0.75, 0.75], [0.25, 0.75]] as const
    for (const corner of [...ring, ring[0]]) {
      const [left, top] = await placeIn(map(page), corner)
      await page.mouse.move(left, top)
      await page.mouse.click(left, top)
      // Two clicks at once would end the ring.
      await page.waitForTimeout(350)
    }
    await expect.poll(async () => (await cornersOf(page)).length).toBe(4)
    await expect(drawer(page).getByText(/视野内 4 \/ 共 4 个顶点/)).toBeVisible()
    drawn = await cornersOf(page)
    await drawer(page).getByRole('button', { name: '撤销' }).click()
    await expect.poll(async () => (await cornersOf(page)).length).toBe(0)
    await drawer(page).getByRole('button', { name: '重做' }).click()
    await expect.poll(() => cornersOf(page)).toEqual(drawn)
    expect(await violationsOf(page)).toEqual([])

    // A file with two rings is no edge, one with three thousand corners is; both are left again.
    const taken = drawer(page).locator('input[type=file]')
    const file = (coordinates: unknown) => ({ name: 'edge.geojson', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify({ type: 'Polygon', coordinates })) })
    await taken.setInputFiles(file([drawn, drawn]))
    await expect(drawer(page).getByText(/文件“edge.geojson”读不出边界/)).toBeVisible()
    const round = Array.from({ length: 3001 }, (_, n) => ((n % 3000) / 3000) * 2 * Math.PI).map((turn) => [drawn[0]![0]! + 0.01 * Math.cos(turn), drawn[0]![1]! + 0.01 * Math.sin(turn)])
    await taken.setInputFiles(file([round]))
    await drawer(page).getByRole('button', { name: '看全边界' }).click()
    await expect(drawer(page).getByText(/共 3,000 个顶点，太密无法逐个拖动/)).toBeVisible()
    await expect(drawer(page).locator('.edge-corner')).toHaveCount(0)
    await drawer(page).getByRole('button', { name: '撤销' }).click()
    await expect.poll(() => cornersOf(page)).toEqual(drawn)

    await save(page).click()
    await expect(question(page)).toContainText(/边界与 \d+ 个服务区重叠：.+ km²/)
    await question(page).getByRole('button', { name: '返回修改' }).click()
    await expect(save(page)).toBeVisible()
    await save(page).click()
    await question(page).getByRole('button', { name: '仍然保存' }).click()
    await expect(page.getByText('服务区已新增，划定停车区后可以开通')).toBeVisible()
    await expect(rowOf(page, area)).toContainText('筹备')
    await expect(rowOf(page, area)).toContainText('无')
  })

  test('an edge that leaves a fence outside is refused by its name and place', async ({ page }) => {
    const [west, south] = [Math.min(...drawn.map(([lng]) => lng!)), Math.min(...drawn.map(([, lat]) => lat!))]
    const [east, north] = [Math.max(...drawn.map(([lng]) => lng!)), Math.max(...drawn.map(([, lat]) => lat!))]
    const [lng, lat] = [west + (east - west) * 0.9, south + (north - south) * 0.9]
    await page.goto(at('/electronic/parking-fence'))
    await page.getByRole('button', { name: '新增停车区' }).first().click()
    await drawer(page).getByLabel('服务区').click()
    await drawer(page).getByLabel('服务区').fill(area)
    await page.locator('.ant-select-dropdown:visible .ant-select-item-option').filter({ hasText: area }).click()
    await drawer(page).getByLabel('名称', { exact: true }).fill(fence)
    await expect(drawer(page).locator('.map-view')).toBeVisible()
    await give(page, [[lng, lat], [lng + 0.0002, lat], [lng + 0.0002, lat + 0.0002], [lng, lat + 0.0002]])
    await save(page).click()
    await expect(page.getByText('草稿已保存，发布后生效')).toBeVisible()
    await rowOf(page, fence).getByRole('button', { name: '发布' }).click()
    await page.getByRole('dialog', { name: /^发布停车区/ }).getByRole('button', { name: /发\s*布/ }).click()
    await expect(page.getByText('围栏已发布')).toBeVisible()

    await open(page)
    await give(page, [[west, south], [west + (east - west) * 0.6, south], [west + (east - west) * 0.6, north], [west, north]])
    await expect(drawer(page).getByText('虚线是现在生效的边界，实线是保存后的边界')).toBeVisible()
    await save(page).click()
    await expect(drawer(page).locator('.ant-form-item-explain-error')).toContainText(/新边界之外还有 \d+ 个围栏：.*在 \d+\.\d+, \d+\.\d+ 附近/)
    await expect(drawer(page).locator('.ant-form-item-explain-error')).toContainText(fence)
    await expect(drawer(page).getByText('第 1 版')).toBeVisible()
  })

  test('a corner is dragged, the edges are compared, and the first one comes back', async ({ page }) => {
    await open(page)
    // Opened again, with all of it there at once, the map stands all the same.
    await page.keyboard.press('Escape')
    await expect(drawer(page)).toHaveCount(0)
    await edit(page)
    // What the refused try left as a draft.
    const draft = drawer(page).getByRole('button', { name: '放弃草稿' })
    if (await draft.isVisible()) await draft.click()
    await expect.poll(() => cornersOf(page)).toEqual(drawn)
    await map(page).scrollIntoViewIfNeeded()
    const handles = await drawer(page).locator('.edge-corner').all()
    const places = await Promise.all(handles.map((handle) => placeIn(handle, [0.5, 0.5])))
    const [x, y] = places[0]!
    const [left, right] = [Math.min(...places.map(([at]) => at)), Math.max(...places.map(([at]) => at))]
    const [top, bottom] = [Math.min(...places.map(([, at]) => at)), Math.max(...places.map(([, at]) => at))]
    // Away from the middle of the area, so that nothing inside is left outside.
    const away = (from: number, low: number, high: number) => from + Math.sign(from - (low + high) / 2) * 12
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(away(x, left, right), away(y, top, bottom), { steps: 6 })
    await page.mouse.up()
    await expect.poll(async () => (await cornersOf(page)).length).toBe(4)
    await expect.poll(() => cornersOf(page)).not.toEqual(drawn)
    await save(page).click()
    await question(page).getByRole('button', { name: '仍然保存' }).click()
    await expect(page.getByText('新边界已生效')).toBeVisible()

    await edit(page)
    await drawer(page).getByRole('tab', { name: '版本' }).click()
    await expect(version(page, 2)).toContainText('生效中')
    await expect(version(page, 2)).toContainText(/面积 .+ km² → .+ km²（\+.+ km²），顶点 4 个/)
    await expect(version(page, 1)).toContainText('已失效')
    await version(page, 1).getByRole('button', { name: '对比' }).click()
    await expect(drawer(page).getByText('地图上是第 2 版，虚线是第 1 版')).toBeVisible()
    expect(await violationsOf(page)).toEqual([])
    await version(page, 1).getByRole('button', { name: '回滚到此版' }).click()
    await page.getByRole('dialog', { name: /回滚到第 1 版/ }).getByRole('button', { name: /回滚到第 1 版/ }).click()
    await question(page).getByRole('button', { name: '仍然保存' }).click()
    await expect(version(page, 3)).toContainText('生效中')
    await expect(version(page, 3)).toContainText('（−')
    await page.keyboard.press('Escape')
    await expect(rowOf(page, area)).toContainText('3')
  })
})

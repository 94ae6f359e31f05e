/** The editor of fences: a fence is split, merged, snapped to its neighbour, measured and copied to another area. */
import type { APIRequestContext, Page } from '@playwright/test'
import { violationsOf } from './axe'
import { at, expect, rowOf, SIGNED_IN, test } from './fixtures'
import { adminKeys, call } from './wire'

test.use({ storageState: SIGNED_IN })

type Place = readonly [lng: number, lat: number]

/** New in every run. */
const mark = Date.now().toString(36)
const [areaA, areaB] = [`编辑甲区${mark}`, `编辑乙区${mark}`]
const [main, right, one, other] = ['主站', '东邻', '一号', '二号'].map((name) => `${name}${mark}`) as [string, string, string, string]

const drawer = (page: Page) => page.locator('.ant-drawer-open')
const map = (page: Page) => drawer(page).locator('.fence-draw-map .map-view')
const tool = (page: Page, name: string) => drawer(page).getByRole('button', { name, exact: true })
const save = (page: Page) => drawer(page).getByRole('button', { name: '保存' })
const measured = (page: Page) => drawer(page).getByLabel('测量结果')
const plan = (page: Page) => drawer(page).getByRole('group', { name: '保存时还会' })

/** A corner of both areas, which lie at a place of their own, and metres from it as degrees. */
let corner: Place = [0, 0]
const metres = (east: number, north: number): Place => [
  Number((corner[0] + east / (111_320 * Math.cos((corner[1] * Math.PI) / 180))).toFixed(9)),
  Number((corner[1] + north / 110_800).toFixed(9)),
]
const box = (west: number, south: number, east: number, north: number): Place[] =>
  [[west, south], [east, south], [east, north], [west, north], [west, south]].map(([x, y]) => metres(x!, y!))

async function made(request: APIRequestContext, path: string, body: Record<string, unknown>): Promise<string> {
  const answer = await call<{ id: string }>(request, adminKeys(), 'POST', path, body)
  expect(answer.suc, JSON.stringify(answer)).toBe(true)
  return answer.data.id
}

async function coordinates(page: Page): Promise<Place[]> {
  const field = drawer(page).getByLabel('坐标', { exact: true })
  if (!(await field.isVisible())) await drawer(page).locator('.fence-coordinates summary').click()
  return (await field.inputValue()).split('\n').map((line) => line.split(', ').map(Number) as unknown as Place)
}

/** Brings all of the map into sight: what lies under the foot of the drawer cannot be clicked. */
const center = (page: Page) => map(page).evaluate((view) => view.scrollIntoView({ block: 'center' }))

/** Opens the editor on a fence of the first area. */
async function edit(page: Page, name: string): Promise<void> {
  await page.goto(at(`/electronic/parking-fence?keyword=${encodeURIComponent(name)}`))
  await rowOf(page, name).filter({ hasText: areaA }).filter({ hasNotText: `${name}-2` }).getByRole('button', { name: '编辑' }).click()
  await expect(drawer(page).locator('.leaflet-30-pane path').first()).toBeAttached()
  await center(page)
  // Until the drawer stands where it is to stand.
  await page.waitForTimeout(800)
}

/** A fence on the screen: its box in metres, and where its handles are in the map's own pixels. */
interface Sight {
  west_m: number
  north_m: number
  left: number
  top: number
  /** Pixels of a metre to the east and to the south. */
  across: number
  down: number
}

/** Takes the measure of the map by the corners of the fence that is edited. */
async function sightOf(page: Page, [west, south, east, north]: readonly [number, number, number, number]): Promise<Sight> {
  const view = await map(page).boundingBox()
  const boxes = await Promise.all((await drawer(page).locator('.leaflet-30-pane path').all()).map((handle) => handle.boundingBox()))
  if (view === null || boxes.length !== 4) throw new Error('no handles')
  const centers = boxes.map((lies) => [lies!.x + lies!.width / 2 - view.x, lies!.y + lies!.height / 2 - view.y] as const)
  const [lefts, tops] = [centers.map(([x]) => x), centers.map(([, y]) => y)]
  const [left, top] = [Math.min(...lefts), Math.min(...tops)]
  return { west_m: west, north_m: north, left, top, across: (Math.max(...lefts) - left) / (east - west), down: (Math.max(...tops) - top) / (north - south) }
}

/** Where metres are on the screen. */
async function onScreen(page: Page, { west_m, north_m, left, top, across, down }: Sight, [east, north]: readonly [number, number]): Promise<[number, number]> {
  const view = await map(page).boundingBox()
  if (view === null) throw new Error('no map')
  return [view.x + left + (east - west_m) * across, view.y + top + (north_m - north) * down]
}

async function clicks(page: Page, sight: Sight, places: readonly (readonly [number, number])[]): Promise<void> {
  for (const place of places) {
    const [x, y] = await onScreen(page, sight, place)
    await page.mouse.move(x, y)
    await page.mouse.click(x, y)
    // Two clicks at once would end the line.
    await page.waitForTimeout(350)
  }
}

const isNear = (a: Place, b: Place, degrees = 2e-7) => Math.abs(a[0] - b[0]) <= degrees && Math.abs(a[1] - b[1]) <= degrees

test.describe.serial('the editor of fences', () => {
  test('a fence is split in two: undone, redone, refused by name and saved', async ({ page, request }) => {
    const city = await call<{ areas: { agentId: string; ring: Place[] }[] }>(request, adminKeys(), 'GET', '/fence/map', {})
    const { agentId } = city.data.areas[0]!
    const corners = city.data.areas.flatMap(({ ring }) => ring)
    // East of the city, where nobody else draws.
    corner = [Math.max(...corners.map(([lng]) => lng)) + 0.01, Math.max(...corners.map(([, lat]) => lat)) - (Date.now() % 997) * 1e-5]
    const area = (name: string, edge: Place[]) => made(request, '/fence/area', { agentId, name, tel: '', geometry: { type: 'Polygon', coordinates: [edge] }, mayOverlap: true })
    const [first, second] = [await area(areaA, box(-500, -500, 500, 500)), await area(areaB, box(1000, -500, 2000, 500))]
    const fence = (name: string, opAreaId: string, edge: Place[]) =>
      made(request, '/fence', { name, type: 'parking', opAreaId, geometry: { type: 'Polygon', coordinates: [edge] }, capacity: 33, confirmOverlap: true })
    await fence(main, first, box(-30, -20, 30, 20))
    await fence(right, first, box(30, -20, 70, 20))
    await fence(one, first, box(-10, 290, 10, 310))
    await fence(other, first, box(20, 290, 40, 310))
    // What is copied there meets one of its name.
    await fence(other, second, box(1500, 290, 1520, 310))

    await edit(page, main)
    await expect(measured(page)).toContainText('4 个顶点')
    const sight = await sightOf(page, [-30, -20, 30, 20])
    await tool(page, '分割').click()
    await expect(tool(page, '分割')).toHaveAttribute('aria-pressed', 'true')
    // A line that ends within it cuts nothing.
    await clicks(page, sight, [[-12, -28], [-12, 4], [-12, 4]])
    await expect(drawer(page).getByText('分割线的两端都要画到围栏外面')).toBeVisible()
    await clicks(page, sight, [[-10, -28], [-10, 28], [-10, 28]])
    await expect(plan(page)).toContainText(/分出一块（\d{3} m²）/)
    await expect(measured(page)).toContainText(/面积 1,\d{3} m²/)
    await tool(page, '撤销').click()
    await expect(plan(page)).toHaveCount(0)
    await expect(measured(page)).toContainText(/面积 2,\d{3} m²/)
    await tool(page, '重做').click()
    await expect(plan(page)).toContainText('分出一块')
    expect(await violationsOf(page)).toEqual([])

    // A name that is taken: nothing is saved, and it is said what stands.
    await drawer(page).getByLabel('分出的第 1 块的名称').fill(right)
    await save(page).click()
    await expect(drawer(page).getByText(`分出的「${right}」没有保存：该服务区内已有同名围栏；本围栏也没有保存`, { exact: false })).toBeVisible()
    await drawer(page).getByLabel('分出的第 1 块的名称').fill('')
    await save(page).click()
    await expect(drawer(page).getByText(/有未发布的草稿；第 1 版仍在使用/)).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(drawer(page)).toHaveCount(0)
    await expect(rowOf(page, `${main}-2`)).toContainText('草稿')
    await expect(rowOf(page, `${main}-2`)).toContainText('33')
  })

  test('it is merged with its neighbour, which is switched off when that is meant', async ({ page }) => {
    await edit(page, main)
    // By keyboard: taken up, left by Esc without the drawer, taken up again.
    await tool(page, '合并').press('Enter')
    await expect(drawer(page).getByLabel('与哪个围栏合并')).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(drawer(page).getByLabel('与哪个围栏合并')).toHaveCount(0)
    await expect(drawer(page)).toBeVisible()
    await tool(page, '合并').press('Enter')
    await drawer(page).getByLabel('与哪个围栏合并').click()
    await page.locator('.ant-select-dropdown:visible').getByTitle(right, { exact: true }).click()
    await drawer(page).getByRole('button', { name: '与它合并' }).click()
    await expect(plan(page)).toContainText(`保存后会询问是否停用或删除并入的「${right}」`)
    await expect(measured(page)).toContainText('4 个顶点')
    await tool(page, '撤销').click()
    await expect(plan(page)).toHaveCount(0)
    await tool(page, '重做').click()
    await save(page).click()
    const question = page.getByRole('dialog', { name: `「${right}」已并入「${main}」的草稿` })
    await expect(question).toContainText('停用或删除立即生效')
    await question.getByRole('button', { name: /停\s*用/ }).click()
    await expect(page.getByText(`「${right}」已停用`)).toBeVisible()
    await page.goto(at(`/electronic/parking-fence?keyword=${encodeURIComponent(right)}`))
    await expect(rowOf(page, right)).toContainText('停用')
  })

  test('a corner is drawn to its neighbour unless the key is held; what lies there is measured', async ({ page }) => {
    await edit(page, one)
    const sight = await sightOf(page, [-10, 290, 10, 310])
    const aim = metres(20, 310)
    const drag = async () => {
      const [x, y] = await onScreen(page, sight, [10, 310])
      const [left, top] = await onScreen(page, sight, [20, 310])
      await page.mouse.move(x, y)
      await page.mouse.down()
      // Beside its corner, by pixels that nobody hits.
      await page.mouse.move(left - 5, top - 4, { steps: 8 })
      await page.mouse.up()
    }
    await page.keyboard.down('Alt')
    await drag()
    await page.keyboard.up('Alt')
    await expect.poll(async () => (await coordinates(page)).some((place) => isNear(place, aim, 3e-5))).toBe(true)
    expect((await coordinates(page)).some((place) => isNear(place, aim))).toBe(false)
    await tool(page, '撤销').click()
    await expect.poll(async () => (await coordinates(page)).some((place) => isNear(place, metres(10, 310)))).toBe(true)
    await center(page)
    await drag()
    await expect.poll(async () => (await coordinates(page)).some((place) => isNear(place, aim))).toBe(true)
    await tool(page, '撤销').click()

    await tool(page, '测量').click()
    await expect(measured(page)).toContainText(/面积 \d{3} m² · 4 个顶点 · 周长 (79|80|81)\.\d m · 各边/)
    await expect(drawer(page).locator('.fence-side')).toHaveCount(4)
    await center(page)
    await clicks(page, sight, [[-10, 290], [10, 290], [10, 290]])
    await expect(measured(page)).toContainText(/测得 (19\.9|20\.0|20\.1) m/)
    await page.keyboard.press('Escape')
    await expect(tool(page, '测量')).toHaveAttribute('aria-pressed', 'false')
    await expect(drawer(page)).toBeVisible()
  })

  test('two are copied to another area, each judged alone', async ({ page }) => {
    await page.goto(at(`/electronic/parking-fence?keyword=${encodeURIComponent(mark)}`))
    for (const name of [one, other]) await rowOf(page, name).filter({ hasText: areaA }).getByRole('checkbox').check()
    await page.getByRole('region', { name: '批量操作' }).getByRole('button', { name: '复制到服务区' }).click()
    const dialog = page.getByRole('dialog', { name: '复制 2 个围栏到其他服务区' })
    await dialog.getByLabel('服务区', { exact: true }).click()
    await dialog.getByLabel('服务区', { exact: true }).fill(areaB)
    await page.locator('.ant-select-dropdown:visible').getByTitle(areaB, { exact: true }).click()
    await expect(dialog.locator('.map-view')).toBeVisible()
    const place = dialog.getByLabel('中心位置', { exact: false })
    const before = await place.inputValue()
    await dialog.getByRole('button', { name: '移动围栏' }).press('ArrowRight')
    await expect(place).not.toHaveValue(before)
    expect(await violationsOf(page)).toEqual([])
    await dialog.getByRole('button', { name: '复制为草稿' }).click()
    await page.getByRole('dialog', { name: /^复制围栏/ }).getByRole('button', { name: '复制围栏' }).click()
    await expect(page.getByRole('dialog').filter({ hasText: '已复制 1 个，1 个未能处理' })).toContainText('该服务区内已有同名围栏')
    await expect(rowOf(page, one).filter({ hasText: areaB })).toContainText('草稿')
    await expect(rowOf(page, one).filter({ hasText: areaB })).toContainText('33')
    await expect(rowOf(page, one).filter({ hasText: areaA })).toContainText('生效中')
  })
})

/** A fence decides: a bike that stands outside of all parking places is judged inside once one is drawn about it, and outside again. */
import { type APIRequestContext, type APIResponse, type Locator, type Page, request } from '@playwright/test'
import { at, expect, machineToken, rowOf, server, SIGNED_IN, test } from './fixtures'
import { adminKeys, call } from './wire'

test.use({ storageState: SIGNED_IN })

/** Of a degree of latitude about 8 m: what is drawn about a bike holds it, however its fix wanders. */
const HALF = 0.00007
/** So far off it stands outside again. */
const AWAY = 0.0012

interface Place {
  lat: number
  lng: number
}

interface Bike extends Place {
  carId: string
  areaId: string
  areaName: string
  lifecycle: number
  ridingState: number
}

interface Judged {
  class: number
  fence: { fenceId: string } | null
}

const SHELVED = 2
const STANDING = 1
const PARKED = 0
const OUTSIDE_PARKING = 1

const drawer = (page: Page) => page.locator('.ant-drawer-open')
const verdict = (page: Page) => page.getByRole('region', { name: '还车判定' })

/** Prepares a standing bike that no parking place holds any more, in its area and in no ban, and tells of a place of the same sort beside it. */
async function strayBike(http: APIRequestContext): Promise<{ bike: Bike; aside: Place; giveBack(): Promise<void> }> {
  const keys = adminKeys()
  const machine = await request.newContext({ baseURL: server(), extraHTTPHeaders: { Authorization: `Bearer ${machineToken()}` } })
  const dataOf = async <Data>(answer: APIResponse) => ((await answer.json()) as { data: Data }).data
  const judge = async (places: readonly (Place & { areaId: string })[]) => {
    const stops = places.map(({ lat, lng, areaId }) => ({ lat, lng, areaId }))
    return (await dataOf<{ results: Judged[] }>(await machine.post('/open/v1/territory/judge', { data: { stops } }))).results
  }
  const { rows } = await dataOf<{ rows: Bike[] }>(await machine.get('/open/v1/vehicles?size=500'))
  const standing = rows.filter(({ lat, lifecycle, ridingState }) => lat !== null && lifecycle === SHELVED && ridingState === STANDING)
  const besides = standing.map(({ lat, lng, areaId }) => ({ lat: lat + AWAY, lng, areaId }))
  const [here, there] = [await judge(standing), await judge(besides)]
  const setState = (id: string, state: number) => call(http, keys, 'POST', '/fence/state', { id, state })
  for (const [index, bike] of standing.entries()) {
    const [judged, beside, aside] = [here[index], there[index], besides[index]]
    const parking = judged?.class === PARKED ? judged.fence?.fenceId : undefined
    if (parking === undefined || beside?.class !== OUTSIDE_PARKING || aside === undefined) continue
    // The demo city parks all of its bikes well: the place that this one stands in is closed for the test.
    expect(await setState(parking, 0)).toMatchObject({ suc: true })
    const [without] = await judge([bike])
    const giveBack = async () => {
      expect(await setState(parking, 1)).toMatchObject({ suc: true })
    }
    if (without?.class === OUTSIDE_PARKING) return { bike, aside, giveBack }
    await giveBack()
  }
  throw new Error(`none of ${standing.length} standing bikes has a parking place of its own`)
}

/** A square about a place, as the form takes it. */
function square(lat: number, lng: number): string {
  const half = HALF / Math.cos((lat * Math.PI) / 180)
  const corners = [
    [lng - half, lat - HALF],
    [lng + half, lat - HALF],
    [lng + half, lat + HALF],
    [lng - half, lat + HALF],
  ] as const
  return corners.map((corner) => corner.map((degree) => degree.toFixed(7)).join(', ')).join('\n')
}

/** Draws by coordinates, and saves the draft. */
async function drawAndSave(page: Page, edge: string): Promise<void> {
  const box = drawer(page).getByLabel('坐标', { exact: true })
  if (!(await box.isVisible())) await drawer(page).locator('.fence-coordinates summary').click()
  await box.fill(edge)
  await drawer(page).getByRole('button', { name: '画到地图上' }).click()
  await drawer(page).getByRole('button', { name: '保存' }).click()
}

async function publishIn(page: Page, place: Locator, button: string): Promise<void> {
  await place.getByRole('button', { name: button }).click()
  await page.getByRole('dialog', { name: /^发布停车区/ }).getByRole('button', { name: /发\s*布/ }).click()
}

test('a parking place that is drawn, moved and rolled back decides how a standing bike is judged', async ({ page, there }) => {
  const { bike, aside, giveBack } = await strayBike(page.request)
  const name = `判定站 ${Date.now() % 1_000_000}`
  await there.goto(at(`/vehicle/operation-map?carId=${bike.carId}`))
  await expect(verdict(there)).toContainText('站点外')
  await expect(verdict(there)).toContainText('距最近的停车区')

  await page.goto(at('/electronic/parking-fence'))
  await page.getByRole('button', { name: '新增停车区' }).first().click()
  await drawer(page).getByLabel('服务区', { exact: true }).click()
  await page.locator('.ant-select-dropdown:visible .ant-select-item-option').filter({ hasText: bike.areaName }).first().click()
  await drawer(page).getByLabel('名称', { exact: true }).fill(name)
  await expect(drawer(page).locator('.map-view')).toBeVisible()
  await drawAndSave(page, square(bike.lat, bike.lng))
  await expect(page.getByText('草稿已保存，发布后生效')).toBeVisible()
  // A draft decides nothing.
  await expect(verdict(there)).toContainText('站点外')
  await publishIn(page, rowOf(page, name), '发布')
  await expect(rowOf(page, name)).toContainText('生效中')
  await expect(verdict(there)).toContainText('规范停放')
  await expect(verdict(there)).toContainText(`「${name}」`)

  // Drawn elsewhere, it stands outside again.
  await rowOf(page, name).getByRole('button', { name: '编辑' }).click()
  await expect(drawer(page).locator('.fence-draw-map .map-view')).toBeVisible()
  await drawAndSave(page, square(aside.lat, aside.lng))
  await expect(drawer(page).getByText(/有未发布的草稿；第 1 版仍在使用/)).toBeVisible()
  await publishIn(page, drawer(page), '发布草稿')
  await expect(verdict(there)).toContainText('站点外')

  // As it was in its first version.
  await drawer(page).getByRole('tab', { name: '版本' }).click()
  await drawer(page).getByRole('listitem', { name: '第 1 版' }).getByRole('button', { name: '回滚到此版' }).click()
  await page.getByRole('dialog', { name: /回滚到第 1 版/ }).getByRole('button', { name: /回滚到第 1 版/ }).click()
  await expect(drawer(page).getByRole('listitem', { name: '第 3 版' })).toContainText('生效中')
  await expect(verdict(there)).toContainText('规范停放')
  await giveBack()
})

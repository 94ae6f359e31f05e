/** What lies beneath maps: chosen, remembered, told with its datum, drawn where it belongs, and replaced where it does not load. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { deflateSync } from 'node:zlib'
import type { Page } from '@playwright/test'
import { violationsOf } from './axe'
import { toWgs84 } from '../src/map/datum'
import { at, expect, failing, rowOf, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN, apart: true })

const WORLD_PX = 256
const EARTH_M = 6_371_008.8

/** A tile of one colour. */
function png(): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc(body))
    return Buffer.concat([length, body, sum])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(WORLD_PX, 0)
  head.writeUInt32BE(WORLD_PX, 4)
  // Eight bits of red, green and blue.
  head.set([8, 2], 8)
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(WORLD_PX * 3, 0xcd)])
  const pixels = Buffer.concat(Array.from({ length: WORLD_PX }, (_, n) => (n === 0 || n === WORLD_PX - 1 ? Buffer.alloc(row.length) : row)))
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), chunk('IHDR', head), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))])
}

function crc(bytes: Buffer): number {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  }
  return (sum ^ 0xffffffff) >>> 0
}

const TILE = png()
/** Somebody's map on this machine: well, or down. */
const state = { well: true, asked: [] as string[] }
let server: Server
let port = 0

test.beforeAll(async () => {
  server = createServer((request, response) => {
    state.asked.push(request.url ?? '')
    response.writeHead(state.well ? 200 : 503, { 'Content-Type': 'image/png', 'Cache-Control': 'no-store' })
    response.end(state.well ? TILE : '')
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  port = (server.address() as AddressInfo).port
})
test.afterAll(() => {
  server.close()
})
test.beforeEach(() => {
  state.well = true
  state.asked = []
})

/** From now on the configuration names these layers. */
async function configure(page: Page, layers: readonly Record<string, unknown>[]): Promise<void> {
  const plain = { labelsUrl: '', subdomains: [], key: '', tms: false, leastZoom: 3, mostZoom: 18, attribution: '' }
  await page.route('**/web/config?*', async (route) => {
    const response = await route.fetch()
    const answer = (await response.json()) as { data: { tiles: Record<string, unknown> } }
    const tiles = { ...answer.data.tiles, layers: layers.map((layer) => ({ ...plain, ...layer })) }
    await route.fulfill({ response, json: { ...answer, data: { ...answer.data, tiles } } })
  })
}

const here = (path: string) => `http://127.0.0.1:${port}/${path}`
const amap = () => ({ id: 'amap', name: '高德', url: here('amap/{z}/{x}/{y}.png'), datum: 'gcj02', attribution: '© 高德地图' })
const tencent = () => ({ id: 'tencent', name: '腾讯', url: here('tencent/{z}/{x}/{y}.png?key={key}'), key: 'K1', tms: true, datum: 'gcj02' })
const base = (page: Page) => page.getByLabel('底图', { exact: true })
const drawer = (page: Page) => page.locator('.ant-drawer-open')

/** Of a tile on the screen its address and its box. */
async function tiles(page: Page, of: string) {
  return page.locator(`.leaflet-tile-loaded[src*="/${of}/"]`).evaluateAll((images) =>
    images.map((image) => {
      const [z = 0, x = 0, y = 0] = new URL((image as HTMLImageElement).src).pathname.split('/').slice(2).map((part) => Number.parseInt(part, 10))
      const { left, top, width, height } = image.getBoundingClientRect()
      return { z, x, y, left, top, width, height }
    }),
  )
}

test('a layer is chosen by keyboard, told with its datum, and remembered', async ({ page }) => {
  await configure(page, [amap(), tencent()])
  await page.goto(at('/vehicle/operation-map'))
  await expect(base(page).locator('option')).toHaveText(['城市底图 · WGS-84', '高德 · GCJ-02', '腾讯 · GCJ-02', '网格 · WGS-84'])
  await expect(base(page)).toHaveValue('base')
  await base(page).focus()
  await page.keyboard.press('ArrowDown')
  await expect(base(page)).toHaveValue('amap')
  await expect(page.locator('.leaflet-tile-loaded[src*="/amap/"]').first()).toBeVisible()
  await expect(page.getByText('© 高德地图')).toBeVisible()
  expect(await violationsOf(page)).toEqual([])
  await page.reload()
  await expect(base(page)).toHaveValue('amap')
  await expect(page.locator('.leaflet-tile-loaded[src*="/amap/"]').first()).toBeVisible()
})

test('what is drawn on a GCJ-02 map comes back where it is, and the fence says so', async ({ page }) => {
  await configure(page, [tencent()])
  await page.goto(at('/electronic/parking-fence-tencent'))
  await page.getByRole('button', { name: '新增停车区' }).first().click()
  await drawer(page).getByLabel('服务区', { exact: true }).click()
  await page.locator('.ant-select-dropdown:visible .ant-select-item-option').filter({ hasText: /服务区$/ }).first().click()
  const name = `腾讯站 ${Date.now() % 1_000_000}`
  await drawer(page).getByLabel('名称', { exact: true }).fill(name)
  await expect(base(page)).toHaveValue('tencent')
  const map = drawer(page).locator('.map-view')
  // Near enough that a pixel is less than half a metre.
  await map.scrollIntoViewIfNeeded()
  const box = (await map.boundingBox())!
  await page.mouse.move(box.x + box.width * 0.54, box.y + box.height * 0.5)
  await expect(async () => {
    await page.mouse.wheel(0, -400)
    await page.waitForTimeout(400)
    expect(Math.max(...(await tiles(page, 'tencent')).map(({ z }) => z))).toBe(18)
  }).toPass({ timeout: 60_000 })
  await page.waitForTimeout(1500)
  expect(state.asked.every((url) => url.endsWith('key=K1'))).toBe(true)

  // Three spots of the picture, by the tiles that they are painted on.
  const shown = (await tiles(page, 'tencent')).filter(({ z }) => z === 18)
  const spotAt = (right: number, down: number) => {
    const [left, top] = [box.x + box.width * right, box.y + box.height * down]
    const tile = shown.find((one) => one.left <= left && left < one.left + one.width && one.top <= top && top < one.top + one.height)
    if (tile === undefined) throw new Error('no tile there')
    const row = 2 ** tile.z - 1 - tile.y
    const x = (tile.x + (left - tile.left) / tile.width) / 2 ** tile.z
    const y = (row + (top - tile.top) / tile.height) / 2 ** tile.z
    const gcj = [(x - 0.5) * 360, (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI]
    return { left, top, gcj }
  }
  const spots = [spotAt(0.48, 0.42), spotAt(0.6, 0.42), spotAt(0.54, 0.62)]
  for (const { left, top } of [...spots, spots[0]!]) {
    await page.mouse.move(left, top)
    await page.mouse.click(left, top)
    await page.waitForTimeout(350)
  }
  // Told in GCJ-02 first.
  await drawer(page).locator('.fence-coordinates summary').click()
  await expect(drawer(page).locator('.fence-coordinates summary')).toHaveText('坐标（GCJ-02）')
  const text = drawer(page).getByLabel('坐标', { exact: true })
  await expect(text).toHaveValue(/^(\d+\.\d+, \d+\.\d+\n){2}\d+\.\d+, \d+\.\d+$/)
  const corners = (await text.inputValue()).split('\n').map((line) => line.split(', ').map(Number))
  const metres = ([lngA, latA]: readonly number[], [lngB, latB]: readonly number[]) => {
    const radians = Math.PI / 180
    return EARTH_M * Math.hypot((lngA! - lngB!) * radians * Math.cos(latA! * radians), (latA! - latB!) * radians)
  }
  for (const { gcj } of spots) {
    const off_m = Math.min(...corners.map((corner) => metres(toWgs84('gcj02', corner), toWgs84('gcj02', gcj))))
    expect(off_m).toBeLessThan(0.5)
  }
  await drawer(page).getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('草稿已保存，发布后生效')).toBeVisible()
  await rowOf(page, name).getByRole('button', { name: '编辑' }).click()
  await expect(drawer(page).locator('.facts')).toContainText('GCJ-02')
})

test('without a layer of its own the page of Tencent says what is missing', async ({ page }) => {
  await page.goto(at('/electronic/parking-fence-tencent'))
  await page.getByRole('button', { name: '新增停车区' }).first().click()
  await drawer(page).getByLabel('服务区', { exact: true }).click()
  await page.locator('.ant-select-dropdown:visible .ant-select-item-option').filter({ hasText: /服务区$/ }).first().click()
  await expect(drawer(page).getByText(/没有配置腾讯底图.*WHEELHOUSE_MAP_LAYERS/)).toBeVisible()
  await expect(drawer(page).locator('.fence-coordinates summary')).toHaveText('坐标（GCJ-02）')
  expect(await violationsOf(page)).toEqual([])
  await drawer(page).getByRole('button', { name: '关闭提示' }).click()
  await expect(drawer(page).getByText(/没有配置腾讯底图/)).toHaveCount(0)
})

test.describe('tiles that fail', () => {
  test.use({ allowed: [failing('503|ERR_NAME_NOT_RESOLVED|ERR_INTERNET_DISCONNECTED|ERR_FAILED|ERR_CONNECTION_[A-Z]+', '.*')] })

  test('our own city lies there until they load again', async ({ page }) => {
    state.well = false
    await configure(page, [amap()])
    await page.goto(at('/vehicle/operation-map'))
    await base(page).selectOption('amap')
    const line = page.getByRole('status').filter({ hasText: '高德底图无法加载，已切换为离线底图' })
    await expect(line).toBeVisible()
    await expect(page.getByText('离线底图 · WGS-84')).toBeVisible()
    await expect(page.locator('canvas.leaflet-tile').first()).toBeVisible()
    expect(await violationsOf(page)).toEqual([])
    // Tried at once, it fails again.
    await line.getByRole('button', { name: '重试' }).click()
    await expect(line).toBeVisible()
    await line.getByRole('button', { name: '关闭提示' }).click()
    await expect(line).toHaveCount(0)
    // It comes back by itself.
    state.well = true
    await expect(page.locator('.leaflet-tile-loaded[src*="/amap/"]').first()).toBeVisible({ timeout: 60_000 })
    await expect(page.getByText('离线底图 · WGS-84')).toHaveCount(0)
  })

  test('a map of the world outside that cannot be reached is replaced too', async ({ page }) => {
    await configure(page, [{ id: 'outside', name: '外网', url: 'https://tiles.invalid/{z}/{x}/{y}.png', datum: 'wgs84' }])
    await page.goto(at('/vehicle/operation-map'))
    await base(page).selectOption('outside')
    await expect(page.getByText('外网底图无法加载，已切换为离线底图')).toBeVisible()
    await expect(page.locator('canvas.leaflet-tile').first()).toBeVisible()
  })
})

/** Fences from a file and as a file: taken away, changed, brought back with what is wrong in it told. */
import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { violationsOf } from './axe'
import { at, expect, rowOf, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

/** Degrees. */
const BESIDE = 0.0008
const TIE = 0.0003

interface Feature {
  geometry: { coordinates: number[][][] }
  properties: { name: string; area: string; circle: unknown }
}

/** The parking places of the list, as the page's own file has them. */
async function taken(page: Page, item: string): Promise<string> {
  await page.getByRole('button', { name: '导出图形' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: item }).click()
  return readFileSync(await (await download).path(), 'utf8')
}

test('fences are taken away as drawings and come back from a table, row by row', async ({ page }) => {
  const mark = `导入 ${Date.now() % 100_000}`
  await page.goto(at('/electronic/parking-fence'))
  const features = (JSON.parse(await taken(page, '导出 GeoJSON')) as { features: Feature[] }).features
  expect(features.length).toBeGreaterThan(10)
  expect(await taken(page, '导出 KML')).toContain('<Placemark')

  // Some 85 m beside one that there is lies the new one, where no bike of the city stands; the second crosses itself, the third repeats a name, the fourth lies elsewhere.
  const near = features.find(({ properties }) => properties.circle === null)!
  const ring = near.geometry.coordinates[0]!
  const moved = (lng: number) => ring.map(([x, y]) => `[${x! + lng},${y}]`).join(',')
  const [west, south] = ring[0] as [number, number]
  const [east, north] = [west + TIE, south + TIE]
  const tie = [[west, south], [east, north], [east, south], [west, north]].map((corner) => `[${corner.join(',')}]`).join(',')
  const lines = [
    'FENCE_ID,FENCE_LOC,备注',
    `${mark} A,"${moved(BESIDE)}",来自表格`,
    `${mark} B,"${tie}",`,
    `${mark} A,"${moved(BESIDE)}",`,
    `${mark} C,"[10,10],[10.001,10],[10.001,10.001]",`,
    `${mark} D,,`,
  ]
  await page.getByRole('button', { name: '导入' }).click()
  const dialog = page.getByRole('dialog', { name: '导入停车区' })
  await dialog.locator('input[type=file]').setInputFiles({ name: '路侧.csv', mimeType: 'text/csv', buffer: Buffer.from(`\uFEFF${lines.join('\n')}`) })
  await expect(dialog.getByText('路侧.csv：3 个围栏')).toBeVisible()
  await dialog.getByLabel('服务区').click()
  await page.locator('.ant-select-dropdown:visible').getByTitle(near.properties.area, { exact: true }).click()
  await dialog.getByRole('button', { name: /检\s*查/ }).click()
  await expect(dialog.getByText('检查完成：可以导入 1 个，4 个不能导入，见下表')).toBeVisible()
  const faults = dialog.locator('.import-faults')
  await expect(faults).toContainText('相交')
  await expect(faults).toContainText('重名')
  await expect(faults).toContainText('超出了所属服务区的边界')
  await expect(faults).toContainText('没有边界')
  await expect(dialog.locator('.map-view')).toBeVisible()
  await dialog.getByRole('button', { name: `在地图上查看 ${mark} B` }).click()
  await expect(dialog.locator('.import-spot')).toHaveCount(1)
  expect(await violationsOf(page)).toEqual([])
  const file = page.waitForEvent('download')
  await dialog.getByRole('button', { name: '下载这些行' }).click()
  expect(readFileSync(await (await file).path(), 'utf8').split('\r\n')).toHaveLength(6)

  await dialog.getByRole('button', { name: '导入 1 个' }).click()
  await expect(page.getByText('已导入 1 个')).toBeVisible()
  await expect(dialog).toBeHidden()
  await expect(rowOf(page, `${mark} A`)).toContainText('生效中')
  await expect(rowOf(page, `${mark} A`)).toContainText('50')
})

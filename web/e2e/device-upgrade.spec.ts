/** Packages of firmware are kept, the spread of versions is seen, and a bike of the city is upgraded. */
import type { APIRequestContext } from '@playwright/test'
import { violationsOf } from './axe'
import { fitsEverywhere, pictured, settled } from './built'
import { at, expect, SIGNED_IN, test, WORKER } from './fixtures'
import { adminKeys, call } from './wire'

test.use({ storageState: SIGNED_IN })

interface Device {
  carId: string
  model: string | null
  firmware: string | null
  soc: number | null
}

/** A bike of the simulated city that stands, is charged, and has said what it is; the one whose number is the highest, which no other spec takes. */
async function upgradable(request: APIRequestContext): Promise<Device & { model: string }> {
  const { data } = await call<{ rows: Device[] }>(request, adminKeys(), 'GET', '/vehicle/device', {
    page: '1', pageSize: '200', keyword: 'W', ridingState: '1', lifecycle: '2', online: 'true', introduced: 'true', socMin: '40',
  })
  const found = data.rows.toReversed()[WORKER]
  if (!found || found.model === null) throw new Error('no bike has said what it is yet')
  return { ...found, model: found.model }
}

test('ROUTE-096 a package is added and disabled, and each model and version is one', async ({ page }) => {
  const model = `WH-T${WORKER}-${Date.now() % 1_000_000}`
  await page.goto(at('/production/device-upgrade'))
  await expect(page.getByRole('heading', { name: '设备升级' })).toBeVisible()
  const drawer = page.locator('.ant-drawer-open')
  const add = async () => {
    await page.getByRole('button', { name: '新增固件包' }).click()
    await drawer.getByLabel('型号').fill(model)
    await drawer.getByLabel('固件版本').fill('1.0.0')
    await drawer.getByLabel('下载地址').fill(`https://firmware.example/${model}.bin`)
    await drawer.getByLabel('MD5').fill('0123456789ABCDEF0123456789ABCDEF')
    await drawer.getByLabel('大小（字节）').fill('524288')
    await drawer.getByRole('button', { name: '保存' }).click()
  }
  await add()
  await expect(page.getByText('固件包已新增')).toBeVisible()
  await page.goto(at(`/production/device-upgrade?keyword=${model}`))
  const row = page.locator('.ant-table tr[data-row-key]').filter({ hasText: model })
  await expect(row).toContainText('524,288')
  await settled(page)
  expect(await violationsOf(page)).toEqual([])
  await fitsEverywhere(page, 'device-upgrade')
  await page.setViewportSize({ width: 1366, height: 768 })

  await row.getByRole('button', { name: '停用' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '停用固件包' }).click()
  await expect(row).toContainText('停用')

  await add()
  await expect(drawer.getByText(`型号 ${model} 已有版本 1.0.0 的固件包`)).toBeVisible()
})

test('ROUTE-015 the spread cuts the list down, and a bike is upgraded and says its new version', async ({ page, request }) => {
  test.setTimeout(240_000)
  const { carId, model } = await upgradable(request)
  const firmware = `9.${WORKER}.${Date.now() % 1_000_000}`
  const added = await call(request, adminKeys(), 'POST', '/production/upgrade', {
    model, firmware, url: `https://firmware.example/${firmware}.bin`, md5: '0123456789abcdef0123456789abcdef', sizeBytes: 524_288, note: '',
  })
  expect(added.suc, JSON.stringify(added)).toBe(true)

  await page.goto(at(`/vehicle/vehicle-visualization?keyword=${carId}`))
  const spread = page.getByRole('region', { name: '版本分布' })
  await expect(spread.getByRole('button', { name: new RegExp(model) })).toBeVisible()
  await spread.getByRole('button', { name: new RegExp(model) }).click()
  await expect(page).toHaveURL(new RegExp(`model=${model}`))
  await expect(page.locator(`.ant-table tr[data-row-key="${carId}"]`)).toContainText(model)

  await page.goto(at(`/vehicle/vehicle-visualization?keyword=${carId}&open=${carId}`))
  const drawer = page.locator('.ant-drawer-open')
  // An installation may fail, as those of a city do: then it is tried again.
  await expect(async () => {
    await drawer.getByRole('button', { name: '升级固件' }).click()
    const dialog = page.getByRole('dialog', { name: `升级固件：${carId}` })
    await dialog.getByLabel('固件包').fill(firmware)
    await page.locator('.ant-select-dropdown:visible .ant-select-item-option').filter({ hasText: firmware }).click()
    await dialog.getByRole('button', { name: '下一步' }).click()
    await page.getByRole('dialog', { name: /升级固件「/ }).getByRole('button', { name: '升级固件' }).click()
    await expect(drawer.getByTestId('command-outcome')).toContainText('固件 成功', { timeout: 30_000 })
  }).toPass({ timeout: 120_000 })
  await expect(drawer.locator('.opmap-fact').filter({ hasText: /^固件/ })).toContainText(firmware, { timeout: 90_000 })
  await pictured(page, 'device-upgraded')
  await page.goto(at(`/vehicle/vehicle-visualization?firmware=${firmware}`))
  await expect(page.locator('.ant-table tr[data-row-key]')).toHaveCount(1)
})

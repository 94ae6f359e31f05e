/** Everything of one bike on a page of its own: as it is, where it is, what was, and what is done with it. */
import { violationsOf } from './axe'
import { fitsEverywhere, settled } from './built'
import { at, expect, SIGNED_IN, test } from './fixtures'
import { cityBike, ownBikes } from './keeping'

test.use({ storageState: SIGNED_IN })

test('FRAME-006 a bike of the city is opened from its drawer: its state, its map, its commands', async ({ page, request }) => {
  const { carId } = await cityBike(request)
  await page.goto(at(`/vehicle/vehicle-query?keyword=${carId}&open=${carId}`))
  await page.locator('.ant-drawer-open').getByRole('link', { name: '车辆详情' }).click()
  await expect(page.getByRole('heading', { name: carId })).toBeVisible()
  await expect(page.getByRole('navigation', { name: '主菜单' })).toHaveCount(0)
  await expect(page.getByRole('region', { name: `车辆 ${carId} 的位置与轨迹` }).locator('.map-view')).toBeVisible()
  await page.getByRole('button', { name: '寻车铃' }).click()
  await expect(page.getByTestId('command-outcome')).toContainText('寻车铃')
  await page.getByRole('tab', { name: '指令' }).click()
  await expect(page.locator('.ant-table').last()).toContainText('寻车铃')
  await settled(page)
  expect(await violationsOf(page)).toEqual([])
  await fitsEverywhere(page, 'info')
})

test('FRAME-006 a bike is taken off the street and loses its device, which its binding history tells', async ({ page, request }) => {
  const { cars, imeis } = await ownBikes(request, 1)
  const [[car = ''], [imei = '']] = [cars, imeis]
  await page.goto(at(`/vehicle-info?carId=${car}`))
  const act = async (label: string, reason: string) => {
    await page.getByRole('button', { name: '车辆操作' }).click()
    await page.getByRole('menuitem', { name: label, exact: true }).click()
    const question = page.getByRole('dialog', { name: `${label}「${car}」？` })
    await question.getByLabel('原因').fill(reason)
    await question.getByRole('button', { name: label, exact: true }).click()
    await expect(page.getByText(`已${label} 1 辆`)).toBeVisible()
  }
  await act('下架', '检修')
  await expect(page.getByRole('region', { name: '状态', exact: true })).toContainText('已下架')
  await act('解绑中控', '更换中控')
  await expect(page.getByText('未绑定')).toBeVisible()
  await page.getByRole('tab', { name: '绑定记录' }).click()
  await expect(page.locator('.ant-table').last()).toContainText(`解绑中控 ${imei}：更换中控`)
})

test('FRAME-006 an address without a number, and one of no bike, say so', async ({ page }) => {
  await page.goto(at('/vehicle-info'))
  await expect(page.getByText('地址中缺少车辆编号')).toBeVisible()
  await page.goto(at('/vehicle-info?carId=NO-SUCH-BIKE'))
  await expect(page.getByText('NO-SUCH-BIKE 无法显示')).toBeVisible()
})

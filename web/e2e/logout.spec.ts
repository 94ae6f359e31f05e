import { at, expect, hashOf, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

test('SESSION-008 to SESSION-018 logging out asks first, then forgets everything and keeps the way back', async ({ page }) => {
  await page.goto(at('/permissions/role'))
  await page.getByRole('button', { name: /设置菜单/ }).click()
  await page.getByText('退出登录').click()
  await expect(page.getByText('真的要注销登录吗？')).toBeVisible()
  await page.getByRole('button', { name: '取消' }).click()
  await expect(page.getByRole('heading', { name: '角色列表' })).toBeVisible()

  await page.getByRole('button', { name: /设置菜单/ }).click()
  await page.getByText('退出登录').click()
  const call = page.waitForRequest((request) => request.url().includes('/auth/logout'))
  await page.getByRole('button', { name: '确定' }).click()
  await call
  await expect(page.getByRole('button', { name: '登录', exact: true })).toBeVisible()
  expect(hashOf(page)).toBe('/login?redirect=/permissions/role')
  const left = await page.evaluate(() =>
    ['Access-Token', 'objectId', 'getAgentid', 'cardNo', 'bankMobile'].filter((key) => localStorage.getItem(key) !== null),
  )
  expect(left).toEqual([])
  expect(await page.evaluate(() => document.cookie)).not.toContain('_t=')
})

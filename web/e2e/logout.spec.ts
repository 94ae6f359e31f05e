import { at, expect, hashOf, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

test('SESSION-008 to SESSION-018 logging out asks first, then forgets everything and keeps the way back', async ({ page }) => {
  await page.goto(at('/permissions/role'))
  await page.getByRole('button', { name: /设置菜单/ }).click()
  await page.getByText('退出登录').click()
  await expect(page.getByText('真的要注销登录吗？')).toBeVisible()
  await page.getByRole('button', { name: '取消' }).click()
  await expect(page.getByRole('heading', { name: '角色列表' })).toBeVisible()

  // What is forgotten has been there: the card's keys are kept only while one is bound.
  const keys = ['Access-Token', 'objectId', 'getAgentid', 'roleId', 'cardNo', 'bankMobile']
  const kept = (names: string[]) => page.evaluate((all) => all.filter((key) => localStorage.getItem(key) !== null), names)
  await page.evaluate(() => ['getAgentid', 'cardNo', 'bankMobile'].forEach((key) => localStorage.setItem(key, '6222')))
  expect(await kept(keys)).toEqual(keys)
  expect(await page.evaluate(() => document.cookie)).toContain('_t=')

  await page.getByRole('button', { name: /设置菜单/ }).click()
  await page.getByText('退出登录').click()
  const call = page.waitForRequest((request) => request.url().includes('/auth/logout'))
  await page.getByRole('button', { name: '确定' }).click()
  await call
  await expect(page.getByRole('button', { name: '登录', exact: true })).toBeVisible()
  expect(hashOf(page)).toBe('/login?redirect=/permissions/role')
  expect(await kept(keys)).toEqual([])
  expect(await kept(['opMan'])).toEqual(['opMan'])
  expect(await page.evaluate(() => document.cookie)).not.toContain('_t=')
})

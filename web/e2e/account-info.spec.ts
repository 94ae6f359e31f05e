/** The account info of a login that the server refuses: said on the page that one comes to, and kept from nobody's login. */
import { at, expect, test } from './fixtures'
import { linkFor, newOperator } from './wire'

for (const [row, told, shown] of [
  ['ERR-008 without words it is 开户信息获取失败', {}, '开户信息获取失败'],
  ['ERR-009 with words it is these', { msg: '账户审核中，请稍后' }, '账户审核中，请稍后'],
] as const) {
  test(row, async ({ page, request }) => {
    const operator = await newOperator(request, '开户查询', ['01'])
    await page.route('**/Pay/customer/getAccountInfo?*', (route) => route.fulfill({ json: { success: false, data: null, ...told } }))
    await page.goto(await linkFor(request, operator.phone))
    await expect(page.getByText('登录成功')).toBeVisible({ timeout: 20_000 })
    await expect(page.locator('.ant-message-warning')).toHaveText(shown)
    await page.goto(at('/log'))
    await expect(page.getByRole('banner')).toBeVisible()
  })
}

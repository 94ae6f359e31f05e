import type { Page } from '@playwright/test'
import { adminPhone, at, badge, expect, failing, hashOf, masked as maskedOf, myPhone, requestCode, rowOf, SIGNED_IN, smsCode, test } from './fixtures'
import { enterByLink, newPhone } from './wire'

// Whatever a page asks for when its device was taken away is answered with 401.
const ended = failing(401, '/(?:platform|mieba)/.*')
test.use({ storageState: SIGNED_IN, allowed: [ended] })

/** New in every run, so that the stack may be used again. */
const stamp = Date.now()
const phone = newPhone()
const masked = maskedOf(phone)
const name = `张测试${stamp.toString(36).slice(-4)}`
const role = `人员管理${stamp.toString(36).slice(-6)}`

/** His menu, as he saw it. */
let menu: string[] = []

const listAddress = () => at(`/permissions/user?keyword=${encodeURIComponent(name)}`)

async function signIn(page: Page): Promise<void> {
  await page.goto(at('/login'))
  await page.getByLabel('手机号').fill(phone)
  await requestCode(page)
  await page.getByLabel('验证码', { exact: true }).fill(smsCode())
  await page.getByLabel('验证码', { exact: true }).press('Enter')
}

async function openPerson(page: Page): Promise<void> {
  await page.goto(listAddress())
  await rowOf(page, name).click()
  await expect(page.getByRole('dialog')).toContainText(masked)
}

test.describe.serial('people, seen by an administrator and by the person himself', () => {
  test('ROUTE-046 the list stands in the menu and shows masked phones', async ({ page }) => {
    await page.goto(at('/permissions/user'))
    await expect(page.getByRole('heading', { name: '人员列表' })).toBeVisible()
    await expect(page.getByRole('navigation', { name: '主菜单' }).getByRole('menuitem', { name: '人员列表' })).toBeVisible()
    await expect(badge(page)).toHaveText('实时')
    await expect(rowOf(page, maskedOf(adminPhone()))).toBeVisible()
    await expect(page.getByText(adminPhone())).toHaveCount(0)
  })

  test('API-040 API-050 PERM-001 CONST-017 a person added here, with tiers and role, appears there', async ({ page, there }) => {
    await page.goto(at('/permissions/add-role'))
    await page.getByLabel('角色名称').fill(role)
    await page.getByText('管理员', { exact: true }).click()
    await page.getByLabel('搜索权限').fill('人员列表')
    await page.getByRole('treeitem', { name: /人员列表/ }).getByRole('checkbox').click()
    await page.getByRole('button', { name: '保存' }).click()
    await expect(page.getByText('角色已新增')).toBeVisible()

    await there.goto(listAddress())
    await expect(there.getByText('没有符合筛选条件的记录')).toBeVisible()
    await expect(badge(there)).toHaveText('实时')

    await page.goto(at('/permissions/user'))
    await page.getByRole('button', { name: '新增人员' }).click()
    await page.getByRole('button', { name: '保存' }).click()
    await expect(page.getByText('请输入手机号')).toBeVisible()
    await page.getByLabel('手机号').fill(phone)
    await page.getByLabel('姓名').fill(name)
    const tier = (label: RegExp) => page.getByRole('dialog').getByRole('checkbox', { name: label })
    await expect(tier(/管理员/)).toHaveAttribute('value', '1')
    await expect(tier(/运营/)).toHaveAttribute('value', '2')
    await expect(tier(/运维/)).toHaveAttribute('value', '4')
    await expect(tier(/生产/)).toHaveAttribute('value', '8')
    await tier(/管理员/).check()
    await page.getByRole('dialog').getByRole('combobox', { name: '角色' }).fill(role)
    await page.locator('.ant-select-item-option').filter({ hasText: role }).click()
    await page.getByLabel('姓名').click()
    await page.getByText('全部代理商', { exact: true }).click()
    await page.getByRole('button', { name: '保存' }).click()
    await expect(page.getByText('人员已新增')).toBeVisible()
    await expect(rowOf(there, name)).toContainText('管理员、运营')
    await expect(rowOf(there, name)).toContainText(role)
  })

  test('API-042 a change is shown before it is saved', async ({ page }) => {
    await openPerson(page)
    await page.getByRole('dialog').getByRole('checkbox', { name: /运维/ }).check()
    await page.getByRole('dialog').getByRole('combobox', { name: '工种' }).click()
    await page.locator('.ant-select-item-option').filter({ hasText: '巡检员' }).click()
    await expect(page.getByLabel('变更内容')).toContainText('管理员、运营、运维')
    await expect(page.getByLabel('变更内容')).toContainText('巡检员')
    await page.getByRole('button', { name: '保存' }).click()
    await expect(page.getByRole('dialog', { name: `保存「${name}」的变更？` })).toContainText('权限和数据范围立即改变')
    await page.getByRole('button', { name: '保存变更' }).click()
    await expect(page.getByText('人员已保存')).toBeVisible()
    await expect(rowOf(page, name)).toContainText('管理员、运营、运维')
    await expect(rowOf(page, name)).toContainText('巡检员')
    await expect.poll(() => hashOf(page)).not.toContain('open=')
    await page.goto(`${listAddress()}&profession=1`)
    await expect(page.getByText('没有符合筛选条件的记录')).toBeVisible()
    await expect(page.getByRole('combobox', { name: '代理商' })).toBeVisible()
    await page.goto(`${listAddress()}&profession=4`)
    await expect(rowOf(page, name)).toBeVisible()
  })

  test('DEV-003 DEV-004 DEV-005 DEV-006 a device taken away ends its session, asks again, and is let in', async ({ page, browser, clean, request }) => {
    const context = await browser.newContext({ storageState: { cookies: [], origins: [] } })
    clean(context)
    const his = await context.newPage()
    // By a link: the one code of this minute is for the second time.
    await enterByLink(his, request, phone)
    await expect(his.getByRole('navigation', { name: '主菜单' })).toBeVisible()
    await his.goto(at('/permissions/user'))
    await expect(his.getByRole('heading', { name: '人员列表' })).toBeVisible()
    await expect(badge(his)).toHaveText('实时')
    menu = await his.getByRole('navigation', { name: '主菜单' }).getByRole('menuitem').allTextContents()
    expect(menu).toContain('人员列表')

    await openPerson(page)
    await page.getByRole('tab', { name: '登录设备' }).click()
    const devices = page.getByRole('list', { name: `${name}的登录设备` })
    await expect(devices.getByRole('listitem')).toHaveCount(1)
    await devices.getByRole('button', { name: '移除' }).click()
    await expect(page.getByRole('dialog', { name: /移除设备「/ })).toContainText('登录马上结束')
    await page.getByRole('button', { name: '移除设备' }).click()
    await expect(devices).toContainText('已移除')
    // At the next call at the latest; a page that is told of the change makes one by itself.
    await expect(async () => {
      const refresh = his.getByRole('button', { name: '刷新' })
      if (await refresh.isVisible()) await refresh.click()
      await expect(his.getByRole('button', { name: '登录', exact: true })).toBeVisible({ timeout: 1500 })
    }).toPass({ timeout: 10_000 })

    await page.goto(at('/permissions/user'))
    const line = page.getByRole('button', { name: /待授权设备/ })
    await expect(line).toHaveCount(0)
    await expect(badge(page)).toHaveText('实时')
    await signIn(his)
    await expect(his.getByText('当前设备未授权，请联系管理员')).toBeVisible()
    await line.click()
    const pending = page.getByRole('region', { name: /待授权设备/ }).getByRole('listitem').filter({ hasText: name })
    await expect(pending).toContainText(masked)
    await pending.getByRole('button', { name: '授权' }).click()
    await page.getByRole('button', { name: '授权设备', exact: true }).click()
    await expect(page.getByText('设备已授权')).toBeVisible()
    await expect(pending).toHaveCount(0)
    await context.close()
  })

  test('PERM-007 the preview shows the menu that he saw, and why the rest is hidden', async ({ page }) => {
    await openPerson(page)
    await page.getByRole('button', { name: '以此用户身份查看' }).click()
    const preview = page.getByRole('region', { name: '他看到的菜单' })
    await expect(preview.getByRole('menuitem').first()).toBeVisible()
    expect(await preview.getByRole('menuitem').allTextContents()).toEqual(menu)
    await page.getByLabel('搜索隐藏的页面').fill('角色列表')
    await expect(page.getByRole('region', { name: '对他隐藏的内容' })).toContainText('缺少权限 1001（角色列表）')
    await expect(page.getByRole('region', { name: '按钮与控件' })).toContainText('隐藏：需要权限 01')
  })

  test('API-044 a person disabled here shows as disabled there, and the question says what follows', async ({ page, there }) => {
    await there.goto(listAddress())
    await expect(rowOf(there, name)).toBeVisible()
    await expect(badge(there)).toHaveText('实时')
    await page.goto(listAddress())
    await rowOf(page, name).getByRole('button', { name: '停用' }).click()
    await expect(page.getByRole('dialog', { name: `停用人员「${name} ${masked}」？` })).toContainText('已登录的会话马上结束，实时连接断开')
    await page.getByRole('button', { name: '停用人员' }).click()
    await expect(rowOf(there, name).getByRole('button', { name: '启用' })).toBeVisible()
    await rowOf(page, name).getByRole('checkbox').check()
    await page.getByRole('button', { name: '批量停用' }).click()
    await expect(page.getByText('所选人员都已停用')).toBeVisible()
    await page.getByRole('button', { name: '批量启用' }).click()
    await page.getByRole('dialog', { name: /批量启用/ }).getByRole('button', { name: '批量启用' }).click()
    await expect(page.getByText('已启用 1 人')).toBeVisible()
    await expect(rowOf(there, name).getByRole('button', { name: '停用' })).toBeVisible()
  })

  test('of several people each is judged alone, and the page says what became of each', async ({ page }) => {
    await page.goto(at('/permissions/user'))
    for (const who of [masked, maskedOf(myPhone())]) await rowOf(page, who).getByRole('checkbox').check()
    const calls: string[] = []
    page.on('request', (request) => request.method() === 'POST' && request.url().endsWith('/user/state') && calls.push(request.url()))
    await page.getByRole('button', { name: '批量停用' }).click()
    await page.getByRole('dialog', { name: /批量停用/ }).getByRole('button', { name: '批量停用' }).click()
    const outcome = page.getByRole('dialog', { name: '已停用 1 人，1 人未能处理' })
    await expect(outcome.getByRole('region', { name: '未能处理' })).toContainText('不能停用、删除自己')
    await expect(outcome.getByRole('region', { name: '已停用' })).toContainText(name)
    expect(calls).toHaveLength(1)
    await outcome.getByRole('button', { name: '知道了' }).click()
    await rowOf(page, masked).getByRole('button', { name: '启用' }).click()
    await page.getByRole('button', { name: '启用人员' }).click()
    await expect(rowOf(page, masked).getByRole('button', { name: '停用' })).toBeVisible()
  })

  test('AMB-052 nobody disables himself or strips himself of his role: the server says why', async ({ page }) => {
    await page.goto(at(`/permissions/user?keyword=${myPhone()}`))
    await rowOf(page, maskedOf(myPhone())).getByRole('button', { name: '停用' }).click()
    await page.getByRole('button', { name: '停用人员' }).click()
    await expect(page.getByText('不能停用、删除自己')).toBeVisible()
    await expect(rowOf(page, maskedOf(myPhone())).getByRole('button', { name: '停用' })).toBeVisible()
    await rowOf(page, maskedOf(myPhone())).click()
    await page.getByRole('dialog').locator('.ant-select-selection-item-remove').first().click()
    await page.getByRole('button', { name: '保存' }).click()
    await page.getByRole('button', { name: '保存变更' }).click()
    await expect(page.getByText(/必须保留至少一名启用的超级管理员|不能变更自己的角色/)).toBeVisible()
  })

  test('API-043 API-041 a person is deleted after a question, alone or with others', async ({ page }) => {
    await page.goto(listAddress())
    await rowOf(page, name).getByRole('checkbox').check()
    await page.getByRole('button', { name: '批量删除' }).click()
    await expect(page.getByRole('dialog', { name: /批量删除/ })).toContainText('手机号可以重新开通')
    await page.getByRole('dialog', { name: /批量删除/ }).getByRole('button', { name: '取消' }).click()
    await rowOf(page, name).getByRole('button', { name: '更多操作' }).click()
    await page.getByRole('menuitem', { name: '删除' }).click()
    await page.getByRole('button', { name: '删除人员' }).click()
    await expect(page.getByText('没有符合筛选条件的记录')).toBeVisible()
    await page.goto(at(`/permissions/role?keyword=${encodeURIComponent(role)}`))
    await rowOf(page, role).getByRole('button', { name: '更多操作' }).click()
    await page.getByRole('menuitem', { name: '删除' }).click()
    await page.getByRole('button', { name: '删除角色' }).click()
    await expect(page.getByText('没有符合筛选条件的记录')).toBeVisible()
  })
})

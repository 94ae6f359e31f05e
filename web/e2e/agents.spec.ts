import type { Page } from '@playwright/test'
import { at, badge, expect, hashOf, rowOf, SIGNED_IN, test } from './fixtures'

// A page that goes while it connects is told of by the browser.
test.use({ storageState: SIGNED_IN, allowed: [/^WebSocket .* closed before the connection/] })

/** New in every run, so that the stack may be used again. */
const stamp = Date.now()
const company = `浏览器代理${stamp.toString(36)}`
const template = `模板${stamp.toString(36)}`
const phone = `137${String(stamp).slice(-8)}`

const menu = (page: Page) => page.getByRole('navigation', { name: '主菜单' })
const list = () => at(`/agent/account-management?keyword=${encodeURIComponent(company)}`)
const templates = () => at(`/agent/role-management?keyword=${encodeURIComponent(template)}`)

/** Opens a list and waits until it is followed, so that no connection is left half-way. */
async function open(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await expect(badge(page)).toHaveText('实时')
}

async function pick(page: Page, title: string): Promise<void> {
  await page.getByLabel('搜索权限').fill(title)
  await page.getByRole('treeitem', { name: new RegExp(title) }).getByRole('checkbox').click()
}

/** Fills in the form of a template that is new. */
async function addTemplate(page: Page, called: string): Promise<void> {
  await page.getByLabel('模板名称').fill(called)
  await page.getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('请至少选择一项权限')).toBeVisible()
  await pick(page, '运营地图')
  await page.getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('角色模板已新增')).toBeVisible()
}

test.describe.serial('agents and their templates', () => {
  test('ROUTE-084 ROUTE-085 ROUTE-086 the group opens the agents, both lists stand in the menu', async ({ page }) => {
    await page.goto(at('/agent'))
    await expect(page.getByRole('heading', { name: '账号管理' })).toBeVisible()
    expect(hashOf(page)).toBe('/agent/account-management')
    await expect(menu(page).getByRole('menuitem', { name: '账号管理' })).toBeVisible()
    await menu(page).getByRole('menuitem', { name: '角色模板' }).click()
    await expect(page.getByRole('heading', { name: '角色模板' })).toBeVisible()
    expect(hashOf(page)).toBe('/agent/role-management')
    await expect(badge(page)).toHaveText('实时')
  })

  test('ROUTE-087 a template is added on a page of its own that is not in the menu', async ({ page }) => {
    await page.goto(at('/agent/add-role'))
    await expect(page.getByRole('heading', { name: '新增角色模板' })).toBeVisible()
    await expect(menu(page).getByRole('menuitem', { name: '新增角色模板' })).toHaveCount(0)
    await addTemplate(page, template)
    expect(hashOf(page)).toBe('/agent/role-management')
    await expect(rowOf(page, template)).toBeVisible()
    await expect(badge(page)).toHaveText('实时')
  })

  // Of templates alone: a list is told of every change of its table, and no other spec writes this one.
  test('a template added here is told of there where rows would move, and comes when it is asked for', async ({ page, there }) => {
    await open(there, templates())
    await expect(rowOf(there, template)).toBeVisible()

    const second = `${template}乙`
    await open(page, templates())
    await page.getByRole('button', { name: '新增角色模板' }).click()
    await addTemplate(page, second)
    // Who added it is not told of it.
    await expect(rowOf(page, second)).toBeVisible()
    const updates = there.getByRole('button', { name: '有 1 条更新' })
    await expect(updates).toBeVisible()
    await expect(rowOf(there, second)).toHaveCount(0)
    await expect(rowOf(there, template)).toHaveCount(1)
    await updates.click()
    await expect(there.locator('tr.row-changed').filter({ hasText: second })).toBeVisible()
    await expect(updates).toHaveCount(0)
    await expect(page.getByRole('button', { name: /条更新/ })).toHaveCount(0)

    await rowOf(page, second).getByRole('button', { name: '删除' }).click()
    await page.getByRole('button', { name: '删除角色模板' }).click()
    // What is in sight goes by itself.
    await expect(rowOf(there, second)).toHaveCount(0)
    await expect(rowOf(there, template)).toHaveCount(1)
  })

  test('PROD-012 ENT-001 an agent opened here appears there', async ({ page, there }) => {
    await open(there, list())
    await expect(there.getByText('没有符合筛选条件的记录')).toBeVisible()

    await open(page, at('/agent/account-management'))
    await page.getByRole('button', { name: '新增代理' }).click()
    await page.getByRole('button', { name: '保存' }).click()
    await expect(page.getByText('请输入公司名称')).toBeVisible()
    await page.getByLabel('公司名称').fill(company)
    await page.getByLabel('联系人').fill('陈明')
    await page.getByLabel('登录手机号').fill('1371234')
    await expect(page.getByText('请输入 11 位手机号')).toBeVisible()
    await page.getByLabel('登录手机号').fill(phone)
    await page.getByRole('combobox', { name: '角色模板' }).fill(template)
    await page.getByTitle(template).click()
    await page.getByLabel('车辆上限').fill('800')
    await page.getByRole('button', { name: '保存' }).click()
    await expect(page.getByText('代理账号已新增')).toBeVisible()
    await expect(rowOf(there, company)).toContainText(phone.replace(/^(\d{3})\d{4}/, '$1****'))
    await expect(rowOf(there, company)).toContainText(template)
    await expect(there.getByText(phone)).toHaveCount(0)
  })

  test('a change keeps the phone unless another is given', async ({ page }) => {
    await open(page, list())
    await rowOf(page, company).click()
    const drawer = page.getByRole('dialog')
    await expect(drawer).toContainText('留空则不更换')
    await drawer.getByLabel('联系人').fill('李雷')
    await drawer.getByRole('button', { name: '保存' }).click()
    await expect(page.getByText('代理账号已保存')).toBeVisible()
    await expect(rowOf(page, company)).toContainText('李雷')
    await expect(rowOf(page, company)).toContainText(phone.slice(-4))
  })

  test('STATE-003 disabling says what follows, and shows there at once', async ({ page, there }) => {
    await open(there, list())
    await expect(rowOf(there, company).getByText('启用', { exact: true })).toBeVisible()
    await open(page, list())
    await rowOf(page, company).getByRole('button', { name: '停用' }).click()
    await expect(page.getByRole('dialog', { name: `停用代理「${company}」？` })).toContainText('它的人员会立即退出登录')
    await Promise.all([
      expect(there.locator('tr.row-changed').filter({ hasText: company })).toBeVisible(),
      page.getByRole('button', { name: '停用代理' }).click(),
    ])
    await expect(rowOf(there, company).getByRole('button', { name: '启用' })).toBeVisible()

    await rowOf(page, company).getByRole('checkbox').check()
    await page.getByRole('button', { name: '批量启用' }).click()
    await page.getByRole('dialog').getByRole('button', { name: '批量启用' }).click()
    await expect(rowOf(page, company).getByRole('button', { name: '停用' })).toBeVisible()
  })

  test('ENT-002 a template in use cannot be deleted, and shows what its change would do', async ({ page }) => {
    await open(page, templates())
    await expect(rowOf(page, template).getByRole('button', { name: '删除' })).toBeDisabled()
    await rowOf(page, template).click()
    await pick(page, '车辆查询')
    await page.getByRole('button', { name: '保存' }).click()
    const question = page.getByRole('dialog', { name: `保存角色模板「${template}」的权限变更？` })
    await expect(question).toContainText('1 个代理的人员权限上限将立即改变')
    await expect(question).toContainText('车辆查询')
    await page.getByRole('button', { name: '保存变更' }).click()
    await expect(page.getByText('角色模板已保存')).toBeVisible()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await open(page, at(`/permissions/role?keyword=${encodeURIComponent(template)}`))
    await expect(page.getByText('没有符合筛选条件的记录')).toBeVisible()
  })

  test('an agent without areas and children is deleted after a question, then its template', async ({ page }) => {
    await open(page, list())
    await rowOf(page, company).getByRole('button', { name: '更多操作' }).click()
    await page.getByRole('menuitem', { name: '删除' }).click()
    await expect(page.getByRole('dialog', { name: `删除代理「${company}」？` })).toContainText('登录手机号可以再次使用')
    await page.getByRole('button', { name: '删除代理' }).click()
    await expect(page.getByText('没有符合筛选条件的记录')).toBeVisible()
    await open(page, templates())
    await rowOf(page, template).getByRole('button', { name: '删除' }).click()
    await page.getByRole('button', { name: '删除角色模板' }).click()
    await expect(page.getByText('没有符合筛选条件的记录')).toBeVisible()
  })
})

import type { Page } from '@playwright/test'
import { at, badge, expect, hashOf, rowOf, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

/** Short enough for a role's name, and new in every run. */
const name = `浏览器测试${Date.now().toString(36)}`

/** Adds a role on the page of the list. */
async function addRole(page: Page, called: string): Promise<void> {
  await page.getByRole('button', { name: '新增角色' }).click()
  await page.getByLabel('角色名称').fill(called)
  await page.getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('请至少选择一项权限')).toBeVisible()
  await page.getByLabel('搜索权限').fill('角色列表')
  await page.getByRole('treeitem', { name: /角色列表/ }).getByRole('checkbox').click()
  await page.getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('角色已新增')).toBeVisible()
}

test.describe.serial('roles, seen by two operators', () => {
  test('ROUTE-043 FRAME-007 WM-001 the list stands in the frame, under the watermark', async ({ page }) => {
    await page.goto(at('/permissions/role'))
    await expect(page.getByRole('heading', { name: '角色列表' })).toBeVisible()
    await expect(page.getByRole('navigation', { name: '主菜单' })).toBeVisible()
    await expect(page.locator('.ant-breadcrumb')).toHaveText(/首页.*权限管理.*角色列表/)
    await expect(page.locator('.watermark')).toHaveCSS('pointer-events', 'none')
    await expect(badge(page)).toHaveText('实时')
  })

  test('a role added here appears there', async ({ page, there }) => {
    await there.goto(at(`/permissions/role?keyword=${encodeURIComponent(name)}`))
    await expect(there.getByText('没有符合筛选条件的记录')).toBeVisible()
    await expect(badge(there)).toHaveText('实时')

    await page.goto(at('/permissions/role'))
    await addRole(page, name)
    await expect(rowOf(there, name)).toBeVisible()
  })

  test('a role disabled here shows as disabled there, marked as just changed', async ({ page, there }) => {
    const address = at(`/permissions/role?keyword=${encodeURIComponent(name)}`)
    await there.goto(address)
    await expect(rowOf(there, name).getByText('启用', { exact: true })).toBeVisible()
    await expect(badge(there)).toHaveText('实时')

    await page.goto(address)
    await rowOf(page, name).getByRole('button', { name: '停用' }).click()
    await expect(page.getByRole('dialog', { name: `停用角色「${name}」？` })).toBeVisible()
    await there.evaluate(() => document.body.setAttribute('data-same-page', 'yes'))
    // Looked for from before the click on: the mark fades after two seconds.
    await Promise.all([
      expect(there.locator('tr.row-changed').filter({ hasText: name })).toBeVisible(),
      page.getByRole('button', { name: '停用角色' }).click(),
    ])
    await expect(rowOf(there, name).getByRole('button', { name: '启用' })).toBeVisible()
    await expect(there.locator('body')).toHaveAttribute('data-same-page', 'yes')
    await expect(rowOf(page, name).getByRole('button', { name: '启用' })).toBeVisible()
  })

  test('its drawer tells what was done to it, and leads to all of it in the log', async ({ page }) => {
    await page.goto(at(`/permissions/role?keyword=${encodeURIComponent(name)}`))
    await rowOf(page, name).click()
    await page.getByRole('dialog').getByRole('tab', { name: '操作记录' }).click()
    const steps = page.getByRole('list', { name: '操作记录' }).getByRole('listitem')
    await expect(steps).toHaveCount(2)
    await expect(steps.first()).toContainText('停用')
    await expect(page.getByText('共 2 步')).toBeVisible()
    await page.getByRole('link', { name: '查看全部' }).click()
    await expect(page.getByRole('heading', { name: '操作人员日志' })).toBeVisible()
    await expect(rowOf(page, name)).toHaveCount(2)
  })

  test('a change of permissions is shown before it is saved', async ({ page }) => {
    await page.goto(at(`/permissions/role?keyword=${encodeURIComponent(name)}`))
    await rowOf(page, name).click()
    await expect(page.getByRole('dialog')).toContainText(name)
    await page.getByLabel('搜索权限').fill('人员列表')
    await page.getByRole('treeitem', { name: /人员列表/ }).getByRole('checkbox').click()
    await page.getByRole('button', { name: '保存' }).click()
    await expect(page.getByRole('dialog', { name: `保存角色「${name}」的权限变更？` })).toBeVisible()
    await expect(page.getByLabel('权限变更').last()).toContainText('人员列表')
    await page.getByRole('button', { name: '保存变更' }).click()
    await expect(page.getByText('角色已保存')).toBeVisible()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect.poll(() => hashOf(page)).not.toContain('open=')
  })

  test('Esc closes the drawer, the address keeps the filter', async ({ page }) => {
    await page.goto(at(`/permissions/role?keyword=${encodeURIComponent(name)}`))
    await rowOf(page, name).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    expect(hashOf(page)).toContain('open=')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    expect(hashOf(page)).toBe(`/permissions/role?keyword=${name}`)
  })

  test('a draft survives a reload', async ({ page }) => {
    await page.goto(at('/permissions/add-role'))
    await page.getByLabel('角色名称').fill('草稿')
    await page.reload()
    await expect(page.getByLabel('角色名称')).toHaveValue('草稿')
    await page.getByRole('button', { name: '放弃草稿' }).click()
    await expect(page.getByLabel('角色名称')).toHaveValue('')
  })

  test('a role without users is deleted after a question', async ({ page }) => {
    await page.goto(at(`/permissions/role?keyword=${encodeURIComponent(name)}`))
    await rowOf(page, name).getByRole('button', { name: '更多操作' }).click()
    await page.getByRole('menuitem', { name: '删除' }).click()
    await page.getByRole('button', { name: '删除角色' }).click()
    await expect(page.getByText('没有符合筛选条件的记录')).toBeVisible()
  })
})

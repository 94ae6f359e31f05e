import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { at, badge, expect, hashOf, masked, myPhone, rowOf, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

/** Short enough for a role's name, and new in every run. */
const name = `日志测试${Date.now().toString(36)}`
const renamed = `${name}改`

const address = (more = '') => at(`/operation/operator-log?range=today&target=${encodeURIComponent(name)}${more}`)

/** Makes a role, gives it another name and one more code, and disables it: four steps. */
async function makeHistory(page: Page): Promise<void> {
  await page.goto(at('/permissions/add-role'))
  await page.getByLabel('角色名称').fill(name)
  await page.getByLabel('搜索权限').fill('角色列表')
  await page.getByRole('treeitem', { name: /角色列表/ }).getByRole('checkbox').click()
  await page.getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('角色已新增')).toBeVisible()
  await page.goto(at(`/permissions/role?keyword=${encodeURIComponent(name)}`))
  await rowOf(page, name).click()
  await page.getByLabel('角色名称').fill(renamed)
  await page.getByLabel('搜索权限').fill('人员列表')
  await page.getByRole('treeitem', { name: /人员列表/ }).getByRole('checkbox').click()
  await page.getByRole('button', { name: '保存' }).click()
  await page.getByRole('button', { name: '保存变更' }).click()
  await expect(page.getByText('角色已保存')).toBeVisible()
  await rowOf(page, renamed).getByRole('button', { name: '停用' }).click()
  await page.getByRole('button', { name: '停用角色' }).click()
  await expect(page.getByText('角色状态已更新')).toBeVisible()
}

test.describe.serial('the operator log', () => {
  test('ROUTE-041 API-055 what was done to a role stands in the log, newest first', async ({ page }) => {
    await makeHistory(page)
    await page.goto(address())
    await expect(page.getByRole('heading', { name: '操作人员日志' })).toBeVisible()
    await expect(page.getByRole('navigation', { name: '主菜单' }).getByRole('menuitem', { name: '操作人员日志' })).toBeVisible()
    const rows = page.getByRole('row').filter({ hasText: name })
    await expect(rows).toHaveCount(4)
    await expect(rows.first()).toContainText('停用')
    await expect(rows.first()).toContainText('成功')
    await expect(rows.first()).toContainText(/\d{3}\*{4}\d{4}/)
  })

  test('ROUTE-038 the group opens its first page', async ({ page }) => {
    await page.goto(at('/operation'))
    await expect.poll(() => hashOf(page)).toBe('/operation/vehicle-log')
  })

  test('filters stay in the address, the range is remembered', async ({ page }) => {
    await page.goto(address())
    await page.getByRole('combobox', { name: '操作', exact: true }).fill('停用角色')
    await page.locator('.ant-select-item-option').filter({ hasText: '停用角色' }).click()
    await expect(page.getByRole('row').filter({ hasText: name })).toHaveCount(1)
    expect(hashOf(page)).toContain('act=role.disabled')
    await page.getByText('昨天', { exact: true }).click()
    await expect(page.getByText('没有符合筛选条件的记录')).toBeVisible()
    await expect(badge(page)).toHaveText('实时')
    await page.goto(at('/permissions/role'))
    await expect(page.getByRole('heading', { name: '角色列表' })).toBeVisible()
    await page.goto(at('/operation/operator-log'))
    await expect(badge(page)).toHaveText('实时')
    await expect(page.getByRole('radio', { name: '昨天' })).toBeChecked()
    await page.getByRole('button', { name: '重置' }).click()
    await expect(page.getByRole('radio', { name: '近 7 天' })).toBeChecked()
  })

  test('a line opens its diff: before, after, what came', async ({ page }) => {
    await page.goto(address())
    await page.getByRole('row').filter({ hasText: name }).nth(1).click()
    const table = page.getByRole('dialog').getByRole('table')
    await expect(table).toContainText(/新增 \d+ 项.*人员列表/)
    await page.keyboard.press('ArrowDown')
    await expect(table.getByRole('row', { name: /角色名称/ })).toContainText(`修改${name}${renamed}`)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })

  test('CQRS-024 a role is replayed step by step, with arrows, slider and by a click', async ({ page }) => {
    await page.goto(address())
    await page.getByRole('row').filter({ hasText: name }).first().click()
    await page.getByRole('button', { name: '此对象的历史' }).click()
    const replay = page.getByRole('dialog', { name: /角色「.*」的历史/ })
    await expect(replay).toContainText('第 4 / 4 步')
    const state = replay.getByLabel('完整状态')
    await expect(state).toContainText('停用')

    await page.keyboard.press('ArrowLeft')
    await expect(replay).toContainText('第 3 / 4 步')
    await expect(state).toContainText('启用')
    await expect(state).toContainText('人员列表')
    await expect(replay.getByText(/回放：您看到的是/)).toBeVisible()
    await page.keyboard.press('ArrowLeft')
    await expect(replay).toContainText('第 2 / 4 步')
    await expect(state).toContainText(renamed)
    await expect(state).not.toContainText('人员列表')

    await page.keyboard.press('Home')
    await expect(replay).toContainText('第 1 / 4 步')
    await expect(state).not.toContainText(renamed)
    await expect(replay.getByRole('button', { name: '上一步' })).toBeDisabled()

    await replay.getByRole('slider').focus()
    await page.keyboard.press('ArrowRight')
    await expect(replay).toContainText('第 2 / 4 步')
    await replay.getByRole('navigation', { name: '步骤' }).getByRole('button').first().click()
    await expect(replay).toContainText('第 4 / 4 步')
    expect(hashOf(page)).toMatch(/replay=role\/\d+\/\d+/)

    // A link shows the same.
    await page.reload()
    await expect(page.getByRole('dialog', { name: /角色「.*」的历史/ })).toContainText('第 4 / 4 步')
  })

  test('an export of up to 31 days is handed out and leaves a line of its own', async ({ page }) => {
    await page.goto(address())
    await expect(page.getByRole('row').filter({ hasText: name })).toHaveCount(4)
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: '导出' }).click()])
    await expect(page.getByText('已导出 4 条')).toBeVisible()
    const text = readFileSync(await download.path(), 'utf8')
    expect(text.split('\r\n').filter((line) => line.includes(name))).toHaveLength(4)
    await page.goto(at('/operation/operator-log?range=today&act=access-record.exported'))
    await rowOf(page, masked(myPhone())).filter({ hasText: '导出数据' }).first().click()
    await expect(page.getByRole('dialog')).toContainText('operator-log')
    await page.keyboard.press('Escape')
    await page.getByText('全部', { exact: true }).first().click()
    await expect(page.getByRole('radio', { name: '全部' })).toBeChecked()
    // The button is faster than the list: a click within the same frame still means the range before.
    await expect(async () => {
      await page.getByRole('button', { name: '导出' }).click()
      await expect(page.getByText('一次最多导出 31 天的日志')).toBeVisible({ timeout: 1500 })
    }).toPass()
  })

  test('the role goes again', async ({ page }) => {
    await page.goto(at(`/permissions/role?keyword=${encodeURIComponent(name)}`))
    await rowOf(page, name).getByRole('button', { name: '更多操作' }).click()
    await page.getByRole('menuitem', { name: '删除' }).click()
    await page.getByRole('button', { name: '删除角色' }).click()
    await expect(page.getByText('没有符合筛选条件的记录')).toBeVisible()
  })
})

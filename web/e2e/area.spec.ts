import { type Page } from '@playwright/test'
import { at, badge, expect, hashOf, rowOf, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

const PAGE = '/agent/service-area-management'
/** New in every run. */
const mark = Date.now().toString(36)
const company = `浏览器加盟商${mark}`
const phone = `139${String(Date.now()).slice(-8)}`

/** The name of the first area that serves riders. */
async function openArea(page: Page): Promise<string> {
  await page.goto(at(`${PAGE}?state=1`))
  // One of the simulated city, which has more bikes than a test makes.
  const name = page.locator('tbody tr.row-link').filter({ hasText: '轻骑出行' }).locator('strong').first()
  await expect(name).toBeVisible()
  return (await name.textContent()) ?? ''
}

test.describe.serial('areas, seen by two operators', () => {
  let area = ''

  test('ROUTE-088 API-070 the list stands in the frame with bikes, agent and state', async ({ page }) => {
    area = await openArea(page)
    await expect(page.getByRole('heading', { name: '服务区管理' })).toBeVisible()
    await expect(page.locator('.ant-breadcrumb')).toHaveText(/首页.*代理商管理.*服务区管理/)
    await expect(page.getByRole('navigation', { name: '主菜单' }).getByRole('menuitem', { name: '服务区管理' })).toBeVisible()
    await expect(rowOf(page, area).getByText('运营中')).toBeVisible()
    const bikes = rowOf(page, area).getByRole('cell').nth(3)
    expect(Number((await bikes.textContent())?.replaceAll(',', ''))).toBeGreaterThan(0)
    await expect(badge(page)).toHaveText('实时')
  })

  test('an area opens with its edge on a map, the address names it, Esc closes it', async ({ page }) => {
    await page.goto(at(`${PAGE}?state=1`))
    await rowOf(page, area).click()
    const drawer = page.getByRole('dialog')
    await expect(drawer.getByRole('region', { name: `服务区「${area}」的边界` }).locator('canvas').first()).toBeVisible()
    await expect(drawer.getByText('其中已上架')).toBeVisible()
    await expect(badge(page)).toHaveText('实时')
    expect(hashOf(page)).toContain('open=')
    await page.keyboard.press('Escape')
    await expect(drawer).toHaveCount(0)
    expect(hashOf(page)).not.toContain('open=')
  })

  test('a telephone changed here appears there', async ({ page, there }) => {
    const tel = `0592-${String(Date.now()).slice(-7)}`
    await there.goto(at(PAGE))
    await expect(rowOf(there, area)).toBeVisible()
    await expect(badge(there)).toHaveText('实时')
    await page.goto(at(PAGE))
    await expect(badge(page)).toHaveText('实时')
    await rowOf(page, area).click()
    await page.getByLabel('客服电话').fill('打给小王')
    await page.getByRole('button', { name: '保存' }).click()
    await expect(page.getByText('5 到 20 位，只能包含数字')).toBeVisible()
    await page.getByLabel('客服电话').fill(tel)
    await page.getByRole('button', { name: '保存' }).click()
    await expect(page.getByText('服务区已保存')).toBeVisible()
    await expect(rowOf(there, area)).toContainText(tel)
  })

  test('service is suspended with a notice and taken up again', async ({ page, there }) => {
    await there.goto(at(PAGE))
    await expect(rowOf(there, area).getByText('运营中')).toBeVisible()
    await expect(badge(there)).toHaveText('实时')
    await page.goto(at(PAGE))
    await expect(badge(page)).toHaveText('实时')
    await rowOf(page, area).getByRole('button', { name: '暂停' }).click()
    const question = page.getByRole('dialog', { name: `暂停服务「${area}」？` })
    await expect(question.getByRole('button', { name: '暂停服务' })).toBeDisabled()
    await question.getByLabel('停运公告').fill('浏览器测试：台风')
    // It would resume by itself a day later than it begins.
    await question.getByLabel('自动恢复').fill('2020-01-01 08:00')
    await page.keyboard.press('Enter')
    await expect(question.getByText('恢复时间需晚于停运开始至少一分钟')).toBeVisible()
    await expect(question.getByRole('button', { name: '暂停服务' })).toBeDisabled()
    const tomorrow = new Date(Date.now() + 32 * 3_600_000).toISOString().slice(0, 16).replace('T', ' ')
    await question.getByLabel('自动恢复').fill(tomorrow)
    await page.keyboard.press('Enter')
    await question.getByRole('button', { name: '暂停服务' }).click()
    await expect(rowOf(there, area).getByText('暂停服务')).toBeVisible()
    await expect(rowOf(there, area)).toContainText('浏览器测试：台风')
    await expect(rowOf(there, area)).toContainText(tomorrow)
    await rowOf(there, area).click()
    await expect(there.getByRole('dialog').getByText(/自动恢复：/)).toBeVisible()
    await there.keyboard.press('Escape')
    await rowOf(page, area).getByRole('button', { name: '恢复' }).click()
    await page.getByRole('button', { name: '恢复运营' }).click()
    await expect(rowOf(there, area).getByText('运营中')).toBeVisible()
  })

  test('an area keeps its quota, its numbers and whether riders may ask for stations', async ({ page }) => {
    await page.goto(at(PAGE))
    await expect(badge(page)).toHaveText('实时')
    await rowOf(page, area).click()
    const drawer = page.getByRole('dialog')
    await drawer.getByLabel('城市代码').fill('35')
    await drawer.getByRole('button', { name: '保存' }).click()
    await expect(drawer.getByText('城市代码为 6 位数字')).toBeVisible()
    await drawer.getByLabel('城市代码').fill('350200')
    await drawer.getByLabel('投放配额').fill('5')
    await drawer.getByLabel('监管平台编号').fill('XM-DDC-01')
    await page.keyboard.press('Enter')
    await drawer.getByRole('button', { name: '保存' }).click()
    await expect(page.getByText('服务区已保存')).toBeVisible()
    await rowOf(page, area).click()
    await expect(drawer.locator('.facts')).toContainText('XM-DDC-01')
    await expect(drawer.locator('.facts')).toContainText(/ 5 辆（超出 [\d,]+ 辆）/)
    await expect(drawer.getByRole('switch', { name: '接受骑行用户的站点申请' })).toBeChecked()
    // As it was: other tests' bikes lie in it.
    await drawer.getByLabel('投放配额').fill('')
    await drawer.getByRole('button', { name: '保存' }).click()
    await expect(page.getByText('服务区已保存').last()).toBeVisible()
  })

  test('an area with bikes is neither closed nor handed over, and says why', async ({ page }) => {
    await page.goto(at(PAGE))
    await expect(badge(page)).toHaveText('实时')
    await rowOf(page, area).getByRole('button', { name: '更多操作' }).click()
    await expect(page.getByRole('menuitem', { name: '移交给其他代理' })).toHaveAttribute('aria-disabled', 'true')
    await page.getByRole('menuitem', { name: '关停' }).click()
    await page.getByRole('dialog', { name: `关停服务区「${area}」？` }).getByRole('button', { name: '关停服务区' }).click()
    await expect(page.getByText(/还有 \d+ 辆已上架车辆，请先下架/)).toBeVisible()
    await expect(rowOf(page, area).getByText('运营中')).toBeVisible()
  })
})

test.describe.serial('franchisees, on the page of agents', () => {
  const address = `/agent/account-management?tab=ally&keyword=${encodeURIComponent(company)}`

  test('PERM-005 a franchisee is registered by franchisee info, its people masked', async ({ page }) => {
    await page.goto(at('/agent/account-management'))
    await expect(badge(page)).toHaveText('实时')
    await page.getByRole('tab', { name: '加盟商' }).click()
    await page.getByRole('button', { name: '登记加盟商' }).first().click()
    const drawer = page.getByRole('dialog')
    await drawer.getByLabel('公司名称').fill(company)
    await drawer.getByLabel('统一社会信用代码').fill('91350100M000100Y34')
    await drawer.getByRole('button', { name: '保存' }).click()
    await expect(drawer.getByText('校验位不正确')).toBeVisible()
    await expect(drawer.getByText('请选择所属代理')).toBeVisible()
    await drawer.getByLabel('统一社会信用代码').fill('')
    await drawer.getByLabel('所属代理').click()
    // One that no other spec takes away.
    await page.locator('.ant-select-item-option').filter({ hasText: '轻骑出行' }).click()
    await drawer.getByLabel('联系人').fill('陈建国')
    await drawer.getByLabel('联系电话').fill(phone)
    await drawer.getByRole('button', { name: '保存' }).click()
    await expect(page.getByText('加盟商已登记')).toBeVisible()
    await expect(rowOf(page, company)).toContainText('陈**')
    await expect(rowOf(page, company)).toContainText(`${phone.slice(0, 3)}****${phone.slice(-4)}`)
    await expect(page.locator('body')).not.toContainText(phone)
  })

  test('a franchisee is looked for by agent or area; in an area where it does not work it is not', async ({ page }) => {
    await page.goto(at(`${address}&serviceAreaId=1`))
    await expect(page.getByText('没有符合筛选条件的记录')).toBeVisible()
    await expect(page.getByRole('combobox', { name: '代理 / 服务区' })).toBeVisible()
    await page.getByRole('button', { name: '重置' }).click()
    await expect(rowOf(page, company)).toBeVisible()
    expect(hashOf(page)).not.toContain('serviceAreaId')
  })

  test('names and phone are whole only for who lets it be written down', async ({ page }) => {
    await page.goto(at(address))
    await expect(badge(page)).toHaveText('实时')
    await rowOf(page, company).click()
    await page.getByRole('button', { name: '查看完整信息' }).click()
    await expect(page.getByText('您的账号和查看时间会记入操作日志')).toBeVisible()
    await page.getByRole('button', { name: '查看并记录' }).click()
    await expect(page.getByRole('dialog', { name: company, exact: true })).toContainText(phone)
  })

  test('a contract waits for what is missing, and what was never signed is deleted', async ({ page }) => {
    await page.goto(at(address))
    await expect(badge(page)).toHaveText('实时')
    await rowOf(page, company).getByRole('button', { name: '签约' }).click()
    await page.getByRole('button', { name: '签约加盟商' }).click()
    await expect(page.getByText('签约资料不完整，请先补全')).toBeVisible()
    await rowOf(page, company).getByRole('button', { name: '更多操作' }).click()
    await page.getByRole('menuitem', { name: '删除' }).click()
    await page.getByRole('button', { name: '删除加盟商' }).click()
    await expect(page.getByText('没有符合筛选条件的记录')).toBeVisible()
    expect(hashOf(page)).toContain('tab=ally')
  })
})

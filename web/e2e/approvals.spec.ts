/** What takes two people: asked for by one, decided by another, from the header and on the landing page. */
import type { APIRequestContext, Page } from '@playwright/test'
import { violationsOf } from './axe'
import { at, expect, rowOf, SIGNED_IN, test } from './fixtures'
import { adminKeys, call, enterByLink, newOperator, type Operator } from './wire'

test.use({ storageState: SIGNED_IN })

/** New in every run, so that the stack may be used again. */
const stamp = Date.now().toString(36)
const company = (number: number) => `复核代理${stamp}${number}`
let asked = 0

const tray = (page: Page) => page.getByRole('button', { name: /^待我复核/ })
const queue = (page: Page) => page.getByRole('dialog', { name: /^待我复核/ })
const drawer = (page: Page) => page.locator('.ant-drawer-open').last()

/** A new agent that two people disable; its id. */
async function agentForTwo(request: APIRequestContext, number: number): Promise<string> {
  const phone = `136${String(Date.now() + number).slice(-8)}`
  const account = { company: company(number), contact: '陈明', phone, billingWay: 1 }
  const opened = await call<{ agentId: string }>(request, adminKeys(), 'POST', '/platform/agent/account', account)
  expect(opened.suc, JSON.stringify(opened)).toBe(true)
  const { agentId } = opened.data
  const limits = { agentId, rules: [{ kind: 'agent.disable', need: 2 }], version: 0 }
  const set = await call(request, adminKeys(), 'POST', '/platform/approval/limits', limits)
  expect(set.suc, JSON.stringify(set)).toBe(true)
  return agentId
}

/** Somebody asks for such an agent to be disabled; its number. */
async function ask(request: APIRequestContext): Promise<number> {
  asked += 1
  const agentId = await agentForTwo(request, asked)
  const answer = await call<{ approvalId: string }>(request, adminKeys(), 'POST', '/platform/agent/account/state', { agentId, state: 0 })
  expect(answer.data.approvalId).toMatch(/^\d+$/)
  return asked
}

test.describe.serial('a second person', () => {
  let second: Operator
  test.beforeAll(async ({ request }) => {
    second = await newOperator(request, '复核人员', ['11', '1101'])
  })

  test('is asked where the limit says so, from the list of agents', async ({ page, request }) => {
    asked += 1
    await agentForTwo(request, asked)
    await page.goto(at(`/agent/account-management?keyword=${encodeURIComponent(company(asked))}`))
    await rowOf(page, company(asked)).getByRole('button', { name: '停用' }).click()
    await page.getByRole('dialog').getByRole('button', { name: '停用代理' }).click()
    await expect(page.getByText('已提交复核，由另一位同事同意后停用')).toBeVisible()
    await expect(rowOf(page, company(asked))).toContainText('启用')
    // His own he does not decide: he finds it among what he asked for.
    await page.goto(at(`/log?view=2&keyword=${encodeURIComponent(company(asked))}`))
    await rowOf(page, company(asked)).click()
    await expect(drawer(page)).toContainText('这是您提交的申请，由另一位同事处理。')
    await drawer(page).getByRole('button', { name: '撤回' }).click()
    await page.getByRole('dialog', { name: /撤回「/ }).getByRole('button', { name: '撤回' }).click()
    await expect(page.getByText('已撤回').first()).toBeVisible()
  })

  test('hears of it at once, and decides one after the other by keys', async ({ browser, clean, request }) => {
    const context = await browser.newContext({ storageState: { cookies: [], origins: [] } })
    clean(context)
    const page = await context.newPage()
    await enterByLink(page, request, second.phone)
    const waiting = async () => Number(/\d+/.exec((await tray(page).getAttribute('aria-label')) ?? '')?.[0] ?? 0)
    const before = await waiting()
    const numbers = [await ask(request), await ask(request), await ask(request)]
    await expect.poll(waiting, 'the badge follows').toBeGreaterThanOrEqual(before + 3)

    await tray(page).click()
    const [first, middle, last] = numbers.toReversed().map(company) as [string, string, string]
    await expect(queue(page)).toContainText('停用代理')
    expect(await violationsOf(page)).toEqual([])
    await queue(page).getByRole('button', { name: new RegExp(first) }).click()
    await expect(drawer(page)).toContainText('同意后会发生什么')
    await expect(drawer(page)).toContainText('它的人员会立即退出登录')
    expect(await violationsOf(page)).toEqual([])
    await page.keyboard.press('j')
    await expect(drawer(page)).toContainText(middle)
    await page.keyboard.press('k')
    await expect(drawer(page)).toContainText(first)

    await page.keyboard.press('a')
    await expect(page.getByText('已同意，操作已执行')).toBeVisible()
    await expect(drawer(page), 'the next one follows').toContainText(middle)
    await page.keyboard.press('r')
    const question = page.getByRole('dialog', { name: /驳回「/ })
    await question.getByLabel('驳回原因').fill('还有未结清的账单')
    await question.getByRole('button', { name: '驳回' }).click()
    await expect(drawer(page)).toContainText(last)
    await page.reload()
    await page.goto(at(`/log?keyword=${encodeURIComponent(company(numbers[1]!))}`))
    await rowOf(page, middle).click()
    await expect(drawer(page)).toContainText('还有未结清的账单')
    await page.goto(at(`/agent/account-management?keyword=${encodeURIComponent(first)}`))
    await expect(rowOf(page, first)).toContainText('停用')
    await page.goto(at(`/agent/account-management?keyword=${encodeURIComponent(middle)}`))
    await expect(rowOf(page, middle)).toContainText('启用')
    await context.close()
  })

  test('limits are set in versions', async ({ page, request }) => {
    asked += 1
    await agentForTwo(request, asked)
    await page.goto(at('/log'))
    await page.getByRole('button', { name: '复核额度' }).click()
    await drawer(page).getByLabel('代理', { exact: true }).click()
    await page.keyboard.type(company(asked))
    await page.locator('.ant-select-item-option', { hasText: company(asked) }).click()
    await expect(drawer(page).getByRole('listitem', { name: '第 1 版' })).toContainText('停用代理 无需复核 → 每次复核')
    expect(await violationsOf(page)).toEqual([])
    await drawer(page).getByLabel('停用代理').click()
    await page.locator('.ant-select-item-option', { hasText: '无需复核' }).click()
    await drawer(page).getByRole('button', { name: /发\s*布/ }).click()
    await expect(page.getByText('复核额度已发布')).toBeVisible()
    await expect(drawer(page).getByRole('listitem', { name: '第 2 版' })).toContainText('停用代理 每次复核 → 无需复核')
    await drawer(page).getByRole('listitem', { name: '第 1 版' }).getByRole('button', { name: '回滚到此版' }).click()
    await page.getByRole('dialog', { name: /回滚到第 1 版/ }).getByRole('button', { name: '回滚到第 1 版' }).click()
    await expect(drawer(page).getByRole('listitem', { name: '第 3 版' })).toContainText('生效中')
  })
})

/** Walks every list there is: opens it, filters, sorts, takes it away, and looks at it in three sizes. */
import { readFileSync } from 'node:fs'
import type { Locator, Page } from '@playwright/test'
import { violationsOf } from './axe'
import { lists, nothingSticksOut, SIZES, settled, withFewRows, withoutMenu } from './built'
import { at, expect, hashOf, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

const NOTHING = 'zz没有这样的记录'
/** Their rows are days: a choice leaves fewer things in each, and no day out. */
const OF_DAYS = ['/report/financial-statistics'].map(withFewRows)
/** Of a filter's choices so many are tried. */
const CHOICES_MOST = 4

const table = (page: Page) => page.locator('.ant-table')
const search = (page: Page) => page.getByRole('search')

/** How many rows the list says it has. */
async function counted(page: Page): Promise<number> {
  await settled(page)
  await expect(page.locator('.ant-result')).toHaveCount(0)
  // Gone by the time one looks, there are none.
  const [total = '0'] = await page.locator('.ant-pagination-total-text').allInnerTexts()
  return Number(/\d+/.exec(total)?.[0])
}

async function reset(page: Page, first: string): Promise<void> {
  await search(page).getByRole('button', { name: '重置' }).click()
  await expect.poll(() => hashOf(page)).toBe(first)
}

/** Words that nothing holds leave nothing, and the list says how to get everything back. */
async function typeInto(page: Page, box: Locator, first: string): Promise<void> {
  await box.fill(NOTHING)
  await expect.poll(() => hashOf(page)).toContain(NOTHING)
  await expect(table(page)).toContainText('没有符合')
  await box.fill('')
  await expect.poll(() => hashOf(page)).toBe(first)
}

/** Whether every row in sight is what was chosen. */
async function allAre(page: Page, choice: string): Promise<boolean> {
  const rows = await table(page).locator('tr[data-row-key]').allInnerTexts()
  return rows.every((row) => row.includes(choice))
}

/** A choice narrows: of one of them not all is left, or all that there is has it. The first that does is enough. */
async function chooseFrom(page: Page, box: Locator, whole: number, first: string): Promise<void> {
  const label = (await box.getAttribute('aria-label')) ?? 'a filter without a label'
  const options = page.locator('.ant-select-dropdown:visible .ant-select-item-option, .ant-cascader-dropdown:visible .ant-cascader-menu-item')
  let narrows = false
  for (let choice = 0, choices = 1; !narrows && choice < choices; choice += 1) {
    const before = hashOf(page)
    await box.click()
    await expect(options.first(), label).toBeVisible()
    choices = Math.min(await options.count(), CHOICES_MOST)
    const option = options.nth(choice)
    const name = (await option.innerText()).trim()
    await option.click()
    await expect.poll(() => hashOf(page), `${label} stands in the address`).not.toBe(before)
    await page.keyboard.press('Escape')
    const leavesOut = (await counted(page)) !== whole || (await allAre(page, name))
    // Of one choice alone, of nothing and of days nothing is left out.
    narrows = leavesOut || choices < 2 || whole === 0 || OF_DAYS.includes(first)
    await reset(page, first)
  }
  expect(narrows, `${label} leaves rows out`).toBe(true)
}

async function sortBy(page: Page, head: Locator): Promise<void> {
  for (const order of ['ascending', 'descending'] as const) {
    await head.click()
    await expect(head).toHaveAttribute('aria-sort', order)
    await expect.poll(() => hashOf(page)).toContain('sort=')
    await counted(page)
  }
  await head.click()
}

/** Columns that no file has: what is done with a row, what moves from second to second, what several fields say together, and whose it is by name. */
const NOT_IN_FILES = ['', '操作', '下发进度', '优惠', '所属']

/** The file has the columns in sight, and a line for each row. */
async function takeAway(page: Page): Promise<void> {
  const titles = await page.locator('.ant-table-header th:not(.ant-table-selection-column)').allInnerTexts()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: '导出', exact: true }).click()
  const lines = readFileSync(await (await download).path(), 'utf8').trim().split('\r\n')
  expect(lines[0]?.replace('\ufeff', '').split(',')).toEqual(titles.filter((title) => !NOT_IN_FILES.includes(title)))
}

for (const path of lists) {
  test(`the list ${path} opens, filters, sorts, is taken away and fits`, async ({ page }) => {
    const first = withFewRows(path)
    await page.goto(at(first))
    await settled(page)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    const whole = await counted(page)
    const fold = search(page).getByRole('button', { name: '展开' })
    if ((await fold.count()) > 0) await fold.click()

    const boxes = search(page).locator('input.ant-input[aria-label]:not([inputmode])')
    for (const box of await boxes.all()) await typeInto(page, box, first)
    const choices = search(page).locator('.ant-select input[aria-label]')
    for (const box of await choices.all()) await chooseFrom(page, box, whole, first)
    for (const head of await page.locator('th.ant-table-column-has-sorters').all()) await sortBy(page, head)
    if ((await page.getByRole('button', { name: '导出', exact: true }).count()) > 0) await takeAway(page)

    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height })
      await settled(page)
      await withoutMenu(page)
      await nothingSticksOut(page)
      expect(await violationsOf(page), `${width} px wide`).toEqual([])
    }
  })
}

/** Return reviews: the queue as its reviewers find it. */
import type { Page } from '@playwright/test'
import { violationsOf } from './axe'
import { at, expect, SIGNED_IN, test } from './fixtures'

test.use({ storageState: SIGNED_IN })

const queue = (page: Page) => page.getByRole('region', { name: '待办队列' })

test('ROUTE-025 the returns that wait are a queue with its states, keys and filters', async ({ page }) => {
  await page.goto(at('/carReturn-approve'))
  await expect(page.getByRole('heading', { name: '还车审核' })).toBeVisible()
  await expect(queue(page).getByRole('tab', { name: /待审核/ })).toBeVisible()
  await queue(page).getByRole('tab', { name: /未通过/ }).click()
  await expect(queue(page).getByRole('tab', { name: /未通过/ })).toHaveAttribute('aria-selected', 'true')
  await page.getByRole('button', { name: '快捷键' }).click()
  await expect(page.getByRole('dialog', { name: '快捷键' })).toBeVisible()
  await page.keyboard.press('Escape')
  expect(await violationsOf(page)).toEqual([])
})

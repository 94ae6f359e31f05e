/** The pages that are built, of the route table itself: a new one is looked at the day it is added. */
import { readFileSync } from 'node:fs'
import { expect, type Page, test } from '@playwright/test'

interface Entry {
  path: string
  layout: string
  page: string | null
}

const entries = JSON.parse(readFileSync(new URL('../src/app/routes.json', import.meta.url), 'utf8')) as Entry[]

const pages = entries
  .filter(({ page, layout }) => page !== null && page !== 'coming' && layout !== 'public')
  // Opens with a payment account only, and is looked at where one is opened.
  .filter(({ path }) => path !== '/financial/AccountManager')

export const built = pages.map(({ path }) => path)

/** Those that are lists described by data. */
export const lists = pages
  // A page of one record, which has lists in it.
  .filter(({ path }) => !path.endsWith('-detail'))
  // Or whose first view is one.
  .filter(({ page }) => /<(ListPage|FenceList|CardList)\b|import\('\.\/\w+ListPage'\)/.test(readFileSync(new URL(`../src/${page}.tsx`, import.meta.url), 'utf8')))
  .map(({ path }) => path)

/** Where a page opens with few rows: what is looked at is each of its columns, not each of its rows. */
export const withFewRows = (path: string): string => (lists.includes(path) ? `${path}?pageSize=10` : path)

/** One of those that are still to come. */
export const oneToCome = entries.find(({ page }) => page === 'coming')?.path ?? ''

/** Whatever waits for its data. */
const BUSY = '.ant-spin-spinning, .ant-skeleton, [aria-busy="true"]'
/** A page that always has something to do is drawn by then. */
const DRAWN_MOST_MS = 300

/** What the page was asked for just now is drawn. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    (timeout) => new Promise<void>((resolve) => requestAnimationFrame(() => requestIdleCallback(() => resolve(), { timeout }))),
    DRAWN_MOST_MS,
  )
}

/** The page is drawn, with its data. */
export async function settled(page: Page): Promise<void> {
  await expect(page.locator('#content')).toBeVisible()
  // First that it waits, then what came.
  await drawn(page)
  await expect(page.locator(BUSY)).toHaveCount(0)
  await drawn(page)
}

/** Closes the menu, which lies over the page at first on a phone. */
export async function withoutMenu(page: Page): Promise<void> {
  await page.keyboard.press('Escape')
  await expect(page.locator('.ant-drawer-mask:visible')).toHaveCount(0)
}

/** What pages are looked at on: a wall's desk, a laptop, a phone. */
export const SIZES = [
  [1920, 1080],
  [1366, 768],
  [390, 844],
] as const

/** The page is no wider than its window. */
export async function nothingSticksOut(page: Page): Promise<void> {
  const { wide, width } = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    return { wide: scrollWidth - clientWidth, width: clientWidth }
  })
  expect(wide, `at ${width} nothing sticks out`).toBeLessThanOrEqual(0)
}

/** A picture of the whole page for whoever wants to see it: only with `WHEELHOUSE_PICTURES` set, since each takes a quarter of a second. */
export async function pictured(page: Page, name: string): Promise<void> {
  if (process.env.WHEELHOUSE_PICTURES) await page.screenshot({ path: test.info().outputPath(`${name}.png`), fullPage: true })
}

/** Looks at a page at all sizes: nothing of it may stick out. Pictured under this name. */
export async function fitsEverywhere(page: Page, name: string): Promise<void> {
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height })
    await settled(page)
    // On a phone the menu opens over the page.
    await withoutMenu(page)
    await pictured(page, `${name}-${width}`)
    await nothingSticksOut(page)
  }
}

/** Whose product it is: what a client's web configuration says stands on the page, in its header and under its login. */
import type { Page } from '@playwright/test'
import { at, expect, SIGNED_IN, test } from './fixtures'

const first = { title: '甲城运营平台', logo: './favicon.svg?a', company: '甲城出行有限公司', filing: '闽ICP备11111111号', hideClient: false }
const second = { title: '乙城运营平台', logo: './favicon.svg?b', company: '乙城单车有限公司', filing: '沪ICP备22222222号', hideClient: false }
const neutral = { title: '共享电单车运营平台', logo: './favicon.svg', company: '共享电单车' }

type Brand = Partial<typeof first>

/** From now on the server's configuration says this of the client. */
async function configure(page: Page, brand: Brand) {
  await page.unroute('**/web/config?*')
  await page.route('**/web/config?*', async (route) => {
    const response = await route.fetch()
    const answer = (await response.json()) as { data: Record<string, unknown> }
    await route.fulfill({ response, json: { ...answer, data: { ...answer.data, ...brand } } })
  })
}

/** What the login page shows of the client: in the card, and at the foot of the page. */
async function expectLogin(page: Page, { title, logo, company, filing }: Brand) {
  const card = page.getByRole('region', { name: '登录' })
  await expect(card.getByRole('heading', { level: 1 })).toHaveText(title ?? '')
  await expect(card.getByText(company ?? '', { exact: true })).toBeVisible()
  await expect(card.locator('img')).toHaveAttribute('src', logo ?? '')
  const foot = page.getByRole('contentinfo')
  await expect(foot).toHaveText(new RegExp(`^© \\d{4} ${company}${filing ?? ''}$`))
  await expect(page).toHaveTitle(title ?? '')
}

for (const path of ['/login', '/login-home']) {
  test(`BRAND-003 BRAND-004 on ${path} title, logo, company and filing are the client's, and others after a reload`, async ({ page }) => {
    for (const brand of [first, second]) {
      await configure(page, brand)
      await page.goto(at(path))
      await page.reload()
      await expectLogin(page, brand)
    }
    // A client without a filing has no empty line for it.
    await configure(page, { ...second, filing: '' })
    await page.reload()
    await expectLogin(page, { ...second, filing: '' })
  })
}

test('BRAND-006 BRAND-007 the switch hides title, logo, company and filing, also after a reload, and brings them back', async ({ page }) => {
  await configure(page, first)
  await page.goto(at('/login'))
  await expectLogin(page, first)
  const hide = page.getByRole('switch', { name: '隐藏客户品牌' })
  await expect(hide).not.toBeChecked()
  await hide.click()
  await expectLogin(page, neutral)
  await page.reload()
  await expectLogin(page, neutral)
  await expect(hide).toBeChecked()
  await hide.click()
  await expectLogin(page, first)
})

test('a client that is to be hidden is hidden until somebody asks for it', async ({ page }) => {
  await configure(page, { ...first, hideClient: true })
  await page.goto(at('/login'))
  await expectLogin(page, neutral)
  await page.getByRole('switch', { name: '隐藏客户品牌' }).click()
  await expectLogin(page, first)
})

test.describe('signed in', () => {
  test.use({ storageState: SIGNED_IN })

  test('BRAND-002 BRAND-006 BRAND-007 the header has title and logo of the client, or of nobody', async ({ page }) => {
    await configure(page, second)
    await page.goto(at('/log'))
    const header = page.getByRole('banner')
    const shows = async ({ title, logo }: Brand) => {
      await expect(header.getByRole('link', { name: `${title} 首页` })).toHaveText(title ?? '')
      await expect(header.locator('.brand img')).toHaveAttribute('src', logo ?? '')
      await expect(page).toHaveTitle(`首页 · ${title}`)
    }
    await shows(second)
    await header.getByRole('switch', { name: '隐藏客户品牌' }).click()
    await shows(neutral)
    await header.getByRole('switch', { name: '隐藏客户品牌' }).click()
    await shows(second)
  })
})

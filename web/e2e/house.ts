/** What the specs share: where the server is, who logs in, and the words of a person at the screen. */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, type Locator, type Page } from '@playwright/test'

/** Where the signed-in browser is kept between the projects. */
export const SIGNED_IN = fileURLToPath(new URL('../test-results/signed-in.json', import.meta.url))
mkdirSync(fileURLToPath(new URL('../test-results', import.meta.url)), { recursive: true })

function setting(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: start the tests with npm run e2e`)
  return value
}

/** The address of `path` after the hash. */
export function at(path: string): string {
  return `${setting('WHEELHOUSE_URL').replace(/\/$/, '')}/#${path}`
}

export const adminPhone = () => setting('WHEELHOUSE_ADMIN_PHONE')
export const smsCode = () => setting('WHEELHOUSE_SMS_CODE')

/** The path after the hash. */
export function hashOf(page: Page): string {
  return decodeURIComponent(new URL(page.url()).hash.slice(1))
}

/** Fails the test for anything the browser complains about. */
export function watchConsole(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  return complaints
}

/** Asks for a code; a server that was asked a moment ago is asked again when its minute is over. */
export async function requestCode(page: Page): Promise<void> {
  await expect(async () => {
    await page.getByRole('button', { name: '发送验证码' }).click()
    await expect(page.getByText('短信发送成功')).toBeVisible({ timeout: 3000 })
  }).toPass({ intervals: [5000], timeout: 90_000 })
}

/** The row of the role list that holds `name`. */
export function rowOf(page: Page, name: string): Locator {
  return page.getByRole('row').filter({ hasText: name })
}

/** What the specs share: where the server is, who logs in, and the words of a person at the screen. */
import { mkdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type BrowserContext, type ConsoleMessage, expect, type Locator, type Page, type Response, test as plain, type WebError } from '@playwright/test'
import { type Reused, reused } from './reused'

/** Which of the workers this process is, counted from 0: each is signed in as an administrator of its own. */
export const WORKER = Number(process.env.TEST_PARALLEL_INDEX ?? 0)

/** Where the signed-in browser of a worker is kept between the projects. */
export const signedInOf = (worker: number) => fileURLToPath(new URL(`../test-results/signed-in-${worker}.json`, import.meta.url))
export const SIGNED_IN = signedInOf(WORKER)
mkdirSync(fileURLToPath(new URL('../test-results', import.meta.url)), { recursive: true })

export function setting(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: start the tests with npm run e2e`)
  return value
}

/** The server's address, without a slash at its end. */
export const server = () => setting('WHEELHOUSE_URL').replace(/\/$/, '')
export const adminPhone = () => setting('WHEELHOUSE_ADMIN_PHONE')
/** Who signs in for a worker: the installation's first administrator, and others whom he adds. */
export const phoneOf = (worker: number) => (worker === 0 ? adminPhone() : `1370000000${worker}`)
/** Who is signed in here. */
export const myPhone = () => phoneOf(WORKER)
export const masked = (phone: string) => phone.replace(/^(\d{3})\d{4}/, '$1****')
export const smsCode = () => setting('WHEELHOUSE_SMS_CODE')
/** What a program of the open API bears. */
export const machineTokenFile = () => setting('WHEELHOUSE_MACHINE_TOKEN_FILE')
export const machineToken = () => readFileSync(machineTokenFile(), 'utf8').trim()

/** The address of `path` after the hash. */
export function at(path: string, origin = server()): string {
  return `${origin}/#${path}`
}

/** The path after the hash. */
export function hashOf(page: Page): string {
  return decodeURIComponent(new URL(page.url()).hash.slice(1))
}

const NOT_LOADED = 'Failed to load resource'
/** Every page of the frame is told of requests for a second person: one that goes while it connects is told of by the browser. */
const LEFT_EARLY = /^WebSocket .* closed before the connection/

/** What the browser complains of; of a resource that did not load it says the address apart from the words. */
function complaintOf(message: ConsoleMessage): string {
  const text = message.text()
  return text.startsWith(NOT_LOADED) ? `${text} @ ${message.location().url}` : text
}

/** The complaint about a call of `path` that ends with `how`: a status, or an error of the network. Both are patterns. */
export function failing(how: number | string, path: string): RegExp {
  return new RegExp(`^${NOT_LOADED}: .*\\b(?:${how})\\b.* @ [^?#]*${path}([?#]|$)`)
}

interface Worker {
  /** The browser of all tests of a worker that begin signed in: what it compiled for one, it has for the next. */
  staying: { page?: Page; work?: Reused; there?: Reused }
}

interface Fixtures {
  /** What the browser may complain of in this test, because the test provokes it. */
  allowed: RegExp[]
  /** Whether the test leaves something in its browser that the next one would meet: a clock of its own, say. */
  apart: boolean
  /** Fails the test for anything else that a page complains of. */
  clean: (context: BrowserContext) => void
  /** A second operator's browser, signed in too. */
  there: Page
}

/** The address of a page that is almost nothing. */
const nothing = () => `${server()}/favicon.svg`

async function opened(context: BrowserContext): Promise<Page> {
  const page = await context.newPage()
  await page.goto(nothing())
  return page
}

/** A test whose pages must be free of errors and warnings. */
export const test = plain.extend<Fixtures, Worker>({
  allowed: [[], { option: true }],
  apart: [false, { option: true }],
  // oxlint-disable-next-line no-empty-pattern -- the form that fixtures must have
  staying: [async ({}, use) => use({}), { scope: 'worker' }],
  context: async ({ browser, contextOptions, storageState, locale, timezoneId, viewport, staying, apart }, use, info) => {
    const fresh = () => browser.newContext({ ...contextOptions, storageState, locale, timezoneId, viewport })
    if (apart || storageState !== SIGNED_IN) {
      const own = await fresh()
      await use(own)
      return own.close()
    }
    // One page of the same origin stays open, and with it the process that draws all of them.
    staying.page ??= await opened(await fresh())
    const context = staying.page.context()
    if (!staying.work?.isWithin()) await context.setStorageState(SIGNED_IN)
    await use(context)
    if (info.status !== info.expectedStatus || !staying.work?.isSound()) delete staying.work
    const others = context.pages().filter((page) => page !== staying.page && page !== staying.work?.page)
    await Promise.all(others.map((page) => page.close()))
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    await context.setOffline(false)
    await context.clearPermissions()
    await staying.work?.makeAsNew()
  },
  page: async ({ context, viewport, staying }, use) => {
    const isOwn = context !== staying.page?.context()
    if (!isOwn) staying.work ??= reused(await context.newPage(), SIGNED_IN, nothing())
    const page = isOwn ? await context.newPage() : staying.work!.page
    const size = page.viewportSize()
    if (viewport && (viewport.width !== size?.width || viewport.height !== size.height)) await page.setViewportSize(viewport)
    await use(page)
  },
  clean: [
    async ({ context, allowed }, use, { errors }) => {
      const complaints: string[] = []
      // What the server refused, for who reads why a test failed; most of it is sealed, and what is not says the most.
      const refusals: Promise<string>[] = []
      const answered = (response: Response) => {
        const body = async () => `${response.status()} ${response.url()}: ${(await response.text().catch(() => '')).slice(0, 200)}`
        if (response.status() >= 400) refusals.push(body())
      }
      const raised = (error: WebError) => complaints.push(error.error().message)
      const said = (message: ConsoleMessage) => {
        const text = complaintOf(message)
        if (['error', 'warning'].includes(message.type()) && ![LEFT_EARLY, ...allowed].some((known) => known.test(text))) complaints.push(text)
      }
      const all: BrowserContext[] = []
      const watch = (watched: BrowserContext) => {
        all.push(watched)
        watched.on('weberror', raised)
        watched.on('console', said)
      }
      watch(context)
      context.on('response', answered)
      await use(watch)
      context.off('response', answered)
      // oxlint-disable-next-line no-console -- for who reads the log of the run
      if (errors.length > 0) for (const refusal of await Promise.all(refusals)) console.log(refusal)
      for (const watched of all) {
        watched.off('weberror', raised)
        watched.off('console', said)
      }
      expect(complaints, 'the console').toEqual([])
    },
    { auto: true },
  ],
  there: async ({ browser, clean, staying }, use, info) => {
    staying.there ??= reused(await (await browser.newContext({ storageState: SIGNED_IN })).newPage(), SIGNED_IN, nothing())
    const { page, isSound, makeAsNew } = staying.there
    const context = page.context()
    clean(context)
    await use(page)
    if (info.status === info.expectedStatus && isSound()) {
      const others = context.pages().filter((other) => other !== page)
      await Promise.all(others.map((other) => other.close()))
      await makeAsNew()
      if (!staying.there.isWithin()) await context.setStorageState(SIGNED_IN)
    } else {
      await context.close()
      delete staying.there
    }
  },
})
export { expect }

/** The signed-in browser as it would be at another address of the same server. */
export function signedInAt(origin: string) {
  const kept = JSON.parse(readFileSync(SIGNED_IN, 'utf8')) as Awaited<ReturnType<BrowserContext['storageState']>>
  return { ...kept, origins: kept.origins.map((known) => (known.origin === server() ? { ...known, origin } : known)) }
}

/** Asks for a code; a server that was asked a moment ago is asked again when its minute is over. */
export async function requestCode(page: Page): Promise<void> {
  await expect(async () => {
    await page.getByRole('button', { name: '发送验证码' }).click()
    await expect(page.getByText('短信发送成功')).toBeVisible({ timeout: 3000 })
  }).toPass({ intervals: [5000], timeout: 90_000 })
}

/** The row of the list that holds `name`. */
export function rowOf(page: Page, name: string): Locator {
  return page.getByRole('row').filter({ hasText: name })
}

/** The row of 超级管理员 in the list of roles: no spec takes it away. */
export function administratorRole(page: Page): Locator {
  return page.locator('tr[data-row-key]').filter({ has: page.locator('strong', { hasText: '超级管理员' }) })
}

/** The badge that says how fresh the page is. */
export function badge(page: Page): Locator {
  return page.getByRole('banner').getByRole('status')
}

/** What the map shows of itself at `window.__fleet`. */
export interface Seen {
  count: number
  seq: number
  moved: number
  mode: string
  /** Pictures painted so far. */
  paints: number
}

export async function seen(page: Page): Promise<Seen> {
  return page.evaluate(() => {
    const fleet = window['__fleet']
    return { count: fleet?.count ?? 0, seq: fleet?.seq ?? 0, moved: fleet?.moved ?? 0, mode: fleet?.paint.mode ?? '', paints: fleet?.paint.paints ?? 0 }
  })
}

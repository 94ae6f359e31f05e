/** A page that one test after another uses, each as if it were new: a new one costs a quarter of a second of a core. */
import type { Page } from '@playwright/test'

/** What cannot be taken back. */
const LASTING = ['addInitScript', 'emulateMedia', 'exposeBinding', 'exposeFunction', 'routeWebSocket', 'setExtraHTTPHeaders'] as const
/** What tests listen to. */
const HEARD = ['console', 'dialog', 'download', 'pageerror', 'popup', 'request', 'requestfailed', 'requestfinished', 'response', 'websocket'] as const

export interface Reused {
  readonly page: Page
  /** Whether it can be made as new. */
  isSound(): boolean
}

/** Notes from now on what tests do to the page that stays. */
export function reused(page: Page): Reused {
  let sound = true
  const spoiling =
    <Given extends unknown[], Done>(act: (...given: Given) => Done) =>
    (...given: Given) => {
      sound = false
      return act(...given)
    }
  for (const name of LASTING) Object.assign(page, { [name]: spoiling((page[name] as (...given: unknown[]) => unknown).bind(page)) })
  const { clock } = page
  Object.defineProperty(page, 'clock', { get: spoiling(() => clock) })
  return { page, isSound: () => sound && !page.isClosed() }
}

/** Takes back what a test did to a page, and leaves it at `address`, which is almost nothing. */
export async function madeAsNew(page: Page, address: string): Promise<void> {
  for (const event of HEARD) page.removeAllListeners(event)
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.mouse.move(0, 0)
  await page.goto(address)
  await page.evaluate(() => sessionStorage.clear())
}

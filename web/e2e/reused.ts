/**
 * A page that one test after another uses, each as if it were new: a new one costs a quarter of a second of a core, and the
 * application in it, begun anew, twice as much again. So it stays in the application where a test has left nothing there.
 */
import { readFileSync } from 'node:fs'
import type { BrowserContext, Page } from '@playwright/test'

/** What cannot be taken back. */
const LASTING = ['addInitScript', 'emulateMedia', 'exposeBinding', 'exposeFunction', 'routeWebSocket', 'setExtraHTTPHeaders'] as const
/** What tests listen to. */
const HEARD = ['console', 'dialog', 'download', 'pageerror', 'popup', 'request', 'requestfailed', 'requestfinished', 'response', 'websocket'] as const
/** Who listens before a page opens wants all that it does at its beginning, and who gives it another size how it begins with that. */
const LISTENING = ['on', 'once', 'waitForEvent', 'waitForRequest', 'waitForResponse', 'setViewportSize'] as const
/** What the application was told by somebody else than the server may be anywhere in it. */
const ANSWERING = ['route', 'routeFromHAR'] as const
/** What lies over a page, and outlives it. */
const OVER = '.ant-message-notice, .ant-notification-notice, .ant-modal-wrap:visible, .ant-drawer-open'

/** Where nothing of the application is drawn. */
const NOWHERE = '/404'

export interface Reused {
  readonly page: Page
  /** Whether it can be made as new. */
  isSound(): boolean
  /** Whether it is in the application still. */
  isWithin(): boolean
  /** Takes back what a test did, which passed, and leaves the page within the application if that is as new, and else without. */
  makeAsNew(): Promise<void>
}

type Act = (...given: unknown[]) => unknown

/** Notes from now on what tests do to the page that stays, which is signed in as `state` says; at the address `nothing` there is almost nothing. */
export function reused(page: Page, state: string, nothing: string): Reused {
  let sound = true
  let within = false
  let listens = false
  let answers = false
  const noting =
    (act: Act, note: () => void): Act =>
    (...given) => {
      note()
      return act(...given)
    }
  const instead = (of: Page | BrowserContext, names: readonly string[], note: () => void) => {
    const acts = of as unknown as Record<string, Act>
    for (const name of names) acts[name] = noting(acts[name]!.bind(of), note)
  }
  const spoil = () => {
    sound = false
    listens = true
  }
  instead(page, LASTING, spoil)
  instead(page, LISTENING, () => (listens = true))
  instead(page, ANSWERING, () => (answers = true))
  instead(page.context(), ANSWERING, () => (answers = true))
  const { clock } = page
  Object.defineProperty(page, 'clock', { get: () => (spoil(), clock) })

  // The first of a test: whoever wants to see a beginning gets one.
  let begun = false
  const go = page.goto.bind(page)
  page.goto = async (...given) => {
    if (!begun && within && (listens || answers)) await go(nothing)
    begun = true
    return go(...given)
  }

  const staysWithin = async (): Promise<boolean> =>
    !answers && (await isOf(page, state)) && (await forgetsWithin(page)) && (await page.locator(OVER).count()) === 0

  const makeAsNew = async () => {
    const stays = await staysWithin()
    for (const event of HEARD) page.removeAllListeners(event)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.mouse.move(0, 0)
    if (!stays) await go(nothing)
    await page.evaluate(() => sessionStorage.clear())
    within = stays
    begun = listens = answers = false
  }
  return { page, isSound: () => sound && !page.isClosed(), isWithin: () => within, makeAsNew }
}

/** Whether what the browser keeps is what it kept at first: of that the application remembers the most. */
async function isOf(page: Page, state: string): Promise<boolean> {
  type State = Awaited<ReturnType<BrowserContext['storageState']>>
  const kept = ({ cookies, origins }: State) => {
    const all = [...cookies, ...origins.flatMap(({ localStorage }) => localStorage)]
    return JSON.stringify(all.map(({ name, value }) => `${name} ${value}`).toSorted())
  }
  const first = JSON.parse(readFileSync(state, 'utf8')) as State
  const now = await page.context().storageState()
  return kept(first) === kept(now)
}

/** Leaves what is drawn, and drops what the application keeps beside it: answers, and words that lie over it. Whether it is one, and has. */
async function forgetsWithin(page: Page): Promise<boolean> {
  return page.evaluate(async (nowhere) => {
    interface Fiber {
      child: Fiber | null
      sibling: Fiber | null
      memoizedProps: { client?: { clear?: () => void }; value?: { message?: Words; notification?: Words } } | null
      stateNode: { current: Fiber }
    }
    interface Words {
      destroy?: () => void
    }
    const root = document.querySelector('#root')
    const key = Object.keys(root ?? {}).find((name) => name.startsWith('__reactContainer$'))
    if (key === undefined) return false
    window.location.hash = nowhere
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const found = { answers: false, words: false }
    const seek = (fiber: Fiber | null): void => {
      for (let at = fiber; at && !(found.answers && found.words); at = at.sibling) {
        const { client, value } = at.memoizedProps ?? {}
        if (client?.clear && !found.answers) {
          client.clear()
          found.answers = true
        }
        if (value?.message?.destroy && value.notification?.destroy) {
          value.message.destroy()
          value.notification.destroy()
          found.words = true
        }
        seek(at.child)
      }
    }
    seek((root as unknown as Record<string, Fiber>)[key]!.stateNode.current)
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    return found.answers && found.words && document.querySelector('#content') === null
  }, NOWHERE)
}

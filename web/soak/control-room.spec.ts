/** Both walls, the board and the map stay open, as in a control room: what they hold does not grow. */
import { writeFileSync } from 'node:fs'
import type { Browser, Page } from '@playwright/test'
import { at, expect, setting, SIGNED_IN, test } from '../e2e/fixtures'
import { growthOf, type Sample } from './growth'
import { hasten } from './haste'
import { nap, residentMb, Wall } from './wall'

const MINUTE_MS = 60_000
const MB = 2 ** 20
/** Pages are looked into so often, in our minutes, and left alone between: resident memory varies by some megabytes, so that few samples tell no slope of one. */
const LOOK_MINUTES = 2
const PAGES = ['/screenHome', '/screenHome1', '/home', '/vehicle/operation-map'] as const
/** What each page, and the process that draws it, may grow by in an hour. */
const GOALS = { 'heap MB': 1, nodes: 100, listeners: 20, 'resident MB': 1 } as const
type Kind = keyof typeof GOALS

/** Minutes of the pages that count, after those that warm up. */
const minutes = Number(process.env.WHEELHOUSE_SOAK_MINUTES ?? '60')
/** How many of their minutes pass in one of ours. The server, which takes its time, is judged at one alone. */
const haste = Number(process.env.WHEELHOUSE_SOAK_HASTE ?? '1')
/**
 * Before what is counted, caches and lists fill, the heaps of a renderer find their size, and V8 compiles functions as they get warm: the last of
 * them after half an hour of ours, however fast the pages live.
 */
const WARM_UP_MINUTES = 40 * haste

/** Signs in and opens every page. */
async function opened(browser: Browser): Promise<void> {
  const context = browser.contexts()[0]!
  await context.setStorageState(SIGNED_IN)
  if (haste > 1) await context.addInitScript(hasten, haste)
  for (const path of PAGES) {
    const page = await context.newPage()
    await page.goto(at(path))
    await expect(page.locator('body')).not.toContainText('页面出错')
  }
}

function pageOf(browser: Browser, path: string): Page {
  const found = browser.contexts()[0]!.pages().find((page) => page.url().endsWith(`#${path}`))
  if (found === undefined) throw new Error(`${path} is no longer open`)
  return found
}

/** Live bytes and objects of a page, after its garbage is gone. */
async function heldBy(wall: Wall, path: string): Promise<Record<Exclude<Kind, 'resident MB'>, number>> {
  const metrics = await wall.metricsOf(path)
  const of = (name: string) => {
    const value = metrics.get(name)
    if (value === undefined) throw new Error(`${path} does not tell ${name}`)
    return value
  }
  return { 'heap MB': of('JSHeapUsedSize') / MB, nodes: of('Nodes'), listeners: of('JSEventListeners') }
}

test('hours of a control room', async () => {
  const series = new Map<string, { kind: Kind; samples: Sample[] }>()
  const keep = (name: string, kind: Kind, minute: number, value: number) => {
    const key = `${name} ${kind}`
    const found = series.get(key) ?? { kind, samples: [] }
    found.samples.push({ minute, value })
    series.set(key, found)
  }
  const server = Number(setting('WHEELHOUSE_SERVER_PID'))
  const wall = await Wall.open(test.info().project.use.launchOptions ?? {})
  try {
    await wall.watched(opened)
    const begun = Date.now()
    const last = Math.ceil((WARM_UP_MINUTES + minutes) / haste)
    for (let ours = 0; ours <= last; ours += 1) {
      const minute = ours * haste
      if (haste === 1) keep('server', 'resident MB', minute, residentMb(server))
      if (ours % LOOK_MINUTES === 0) {
        for (const path of PAGES) {
          const held = await heldBy(wall, path)
          for (const [kind, value] of Object.entries(held)) keep(path, kind as Kind, minute, value)
        }
        // Their garbage is gone now.
        for (const [index, mb] of (await wall.residentMb(PAGES)).entries()) keep(`renderer ${index}`, 'resident MB', minute, mb)
      }
      const now = [...series].map(([key, { samples }]) => `${key} ${samples.at(-1)!.value.toFixed(1)}`)
      process.stdout.write(`${minute} min: ${now.join(', ')}\n`)
      if (ours < last) await nap(Math.max(0, begun + (ours + 1) * MINUTE_MS - Date.now()))
    }
    await wall.watched(async (browser) => {
      for (const path of PAGES) {
        const page = pageOf(browser, path)
        await page.screenshot({ path: `test-results/soak${path.replaceAll('/', '-')}.png` })
        await expect(page.locator('body')).not.toContainText('页面出错')
      }
    })
  } finally {
    await wall.close()
  }
  const rows = [...series].map(([name, { kind, samples }]) => {
    const counted = samples.filter(({ minute }) => minute >= WARM_UP_MINUTES)
    return { name, growth_per_hour: growthOf(counted), goal: GOALS[kind], first: counted[0]?.value, last: counted.at(-1)?.value }
  })
  for (const { name, growth_per_hour, goal, first, last } of rows) process.stdout.write(`${name}: ${growth_per_hour.toFixed(2)} an hour of ${goal} (${first?.toFixed(1)} to ${last?.toFixed(1)})\n`)
  if (process.env.WHEELHOUSE_BENCH_OUT) writeFileSync(process.env.WHEELHOUSE_BENCH_OUT, `${JSON.stringify({ bench: 'soak', minutes, haste, rows }, null, 1)}\n`)
  expect(rows.filter(({ growth_per_hour, goal }) => growth_per_hour >= goal)).toEqual([])
})

/**
 * Measures what the map's fleet costs the main thread, against what others would have taken, and what it costs to drag a corner
 * among a city's fences in the editor, in headless Chromium. The pages are built as the product is. The city's fences are those
 * of `WHEELHOUSE_DATA`, else made up as many and as large. Usage: node scripts/benchMap.mjs [--rounds N] [--only CASE]
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { chromium } from '@playwright/test'
import react from '@vitejs/plugin-react'
import { build, preview } from 'vite'

const names = ['harness', 'wheelhouse', 'circle-markers', 'supercluster']

/**
 * `riding` is the share that rides, `moving` how many bikes move with each update; null measures the first picture. Of a
 * fleet a twentieth moves each second; a frame of 10,000 is one in which all move.
 */
const cases = [
  { name: 'first-20k', bikes: 20_000, riding: 0.05, moving: null },
  { name: 'first-100k', bikes: 100_000, riding: 0.05, moving: null },
  { name: 'update-20k', bikes: 20_000, riding: 0.05, moving: 1_000 },
  { name: 'update-100k', bikes: 100_000, riding: 0.05, moving: 5_000 },
  { name: 'frame-10k', bikes: 10_000, riding: 1, moving: 10_000 },
]

/** So many fences has the city. */
const FENCES = 14_071
/** Milliseconds that a frame may take while a corner is dragged. */
const GOAL_MS = 50
/** Pixels that the corner goes round in. */
const ROUND_PX = 60

/** In the editor as it opens on a fence, as near as the map goes; and on a district of so many degrees, with thousands of fences in sight. */
const dragged = [
  { name: 'fences-14k', half_degrees: null },
  { name: 'fences-14k-wide', half_degrees: 0.02 },
]

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '40' }, only: { type: 'string' } } })
const rounds = Number(options.rounds)
if (!Number.isInteger(rounds) || rounds < 1) fail(`--rounds takes a whole number above 0, not ${options.rounds}`)
const isAsked = ({ name }) => options.only === undefined || name === options.only
const chosen = cases.filter(isAsked)
const drags = dragged.filter(isAsked)
if (chosen.length + drags.length === 0) fail(`--only takes one of ${[...cases, ...dragged].map((each) => each.name).join(', ')}`)

const folder = mkdtempSync(join(tmpdir(), 'bench-map-'))
try {
  const rows = await measured(folder)
  print(rows)
  const report = process.env.WHEELHOUSE_BENCH_OUT
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`
  if (report !== undefined) writeFileSync(report, `${JSON.stringify({ bench: 'map', machine, rows }, null, 1)}\n`)
} finally {
  rmSync(folder, { recursive: true })
}

async function measured(outDir) {
  const root = fileURLToPath(new URL('../bench', import.meta.url))
  const alias = { '@': fileURLToPath(new URL('../src', import.meta.url)) }
  const shared = { root, configFile: false, plugins: [react()], base: './', resolve: { alias }, logLevel: 'warn' }
  const input = ['index', 'editor'].map((page) => join(root, `${page}.html`))
  await build({ ...shared, build: { outDir, rolldownOptions: { input }, emptyOutDir: true, target: 'es2022', chunkSizeWarningLimit: 2000 } })
  const server = await preview({ ...shared, build: { outDir }, preview: { host: '127.0.0.1', port: 0 } })
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  try {
    const page = await browser.newPage({ viewport: { width: 1366, height: 768 } })
    page.on('pageerror', (error) => fail(error.message))
    const address = new URL(server.resolvedUrls?.local[0] ?? fail('the page is nowhere'))
    await page.goto(address.href)
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
    const rows = []
    for (const each of chosen) {
      for (const name of names) {
        const samples = await samplesOf(page, cdp, each, name)
        for (const [share, word] of [[0.5, 'p50'], [0.99, 'p99']]) {
          rows.push({ system: name, case: `${each.name} ${word}`, value: quantile(samples, share), unit: 'ms' })
        }
      }
    }
    if (drags.length > 0) rows.push(...(await draggedRows(page, cdp, new URL('editor.html', address).href)))
    return rows
  } finally {
    await browser.close()
    await server.close()
  }
}

/** Main-thread milliseconds of each round. */
async function samplesOf(page, cdp, { bikes, riding, moving }, name) {
  const begin = () => page.evaluate(([system, count, share]) => window.bench.begin(system, count, share), [name, bikes, riding])
  const draw = () => page.evaluate(() => window.bench.draw())
  const samples = []
  await begin()
  if (moving !== null) await draw()
  // First pictures are slow to prepare; fewer of them say as much.
  const count = moving === null ? Math.max(3, Math.ceil(rounds / 4)) : rounds
  for (let round = -2; round < count; round += 1) {
    if (moving === null) await begin()
    else await page.evaluate((some) => window.bench.move(some), moving)
    const before = await taskMs(cdp)
    await draw()
    const spent = (await taskMs(cdp)) - before
    // The first two warm the machine up.
    if (round >= 0) samples.push(spent)
  }
  return samples
}

/** The city's fences, or how many are to be made up. */
function cityFences() {
  const file = join(process.env.WHEELHOUSE_DATA ?? '', 'parking', 'xiamen_parking_fences_2020.csv.gz')
  if (!process.env.WHEELHOUSE_DATA || !existsSync(file)) {
    line(`The city's fences are not at hand (WHEELHOUSE_DATA): ${FENCES} made up instead`)
    return FENCES
  }
  const rows = gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n').slice(1)
  return rows.map((row) => JSON.parse(`[${row.slice(row.indexOf('"') + 1, row.lastIndexOf('"'))}]`))
}

/** What a frame costs while a corner is dragged in the editor: of the main thread, and from the pointer's move to the painted frame. */
async function draggedRows(page, cdp, address) {
  const fences = cityFences()
  const rows = []
  await page.goto(address)
  for (const { name, half_degrees } of drags) {
    const count = await page.evaluate(([given, half]) => window.editor.begin(given, half), [fences, half_degrees])
    if (count !== FENCES) fail(`${count} fences, not ${FENCES}`)
    // The handles of corners lie in a pane of their own.
    const handle = page.locator('.leaflet-30-pane path').first()
    await handle.waitFor({ state: 'attached' })
    await page.waitForTimeout(1000)
    const box = (await handle.boundingBox()) ?? fail('no corner to drag')
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    const before = await page.evaluate(() => window.editor.drawn())
    await page.mouse.move(x, y)
    await page.mouse.down()
    const main = []
    const frames = []
    for (let round = -2; round < rounds * 5; round += 1) {
      const turn = (round / 30) * 2 * Math.PI
      const began = await taskMs(cdp)
      await page.evaluate(() => window.editor.watch())
      await page.mouse.move(x + Math.cos(turn) * ROUND_PX, y + Math.sin(turn) * ROUND_PX)
      const took = await page.evaluate(() => window.editor.frame())
      // The first two warm the machine up.
      if (round < 0) continue
      main.push((await taskMs(cdp)) - began)
      frames.push(took)
    }
    await page.mouse.up()
    await page.waitForTimeout(200)
    if ((await page.evaluate(() => window.editor.drawn())) === before) fail(`${name}: the corner did not move`)
    const row = (what, samples, share) => ({ system: 'wheelhouse', case: `${name} ${what} p${share * 100}`, value: quantile(samples, share), unit: 'ms' })
    rows.push(row('main thread', main, 0.5), row('main thread', main, 0.99), row('frame', frames, 0.5), row('frame', frames, 0.99))
    const worst = Math.max(quantile(main, 0.99), quantile(frames, 0.99))
    line(`${name}: goal ${GOAL_MS} ms a frame ${worst < GOAL_MS ? 'reached' : 'MISSED'} (p99 ${worst.toFixed(1)})`)
  }
  return rows
}

/** What the page's main thread has spent in tasks since it began. */
async function taskMs(cdp) {
  const { metrics } = await cdp.send('Performance.getMetrics')
  return (metrics.find((metric) => metric.name === 'TaskDuration')?.value ?? fail('no TaskDuration')) * 1000
}

function quantile(samples, share) {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function print(rows) {
  const isDrag = ({ case: kind }) => dragged.some(({ name }) => kind.startsWith(`${name} `))
  for (const { case: kind, value } of rows.filter(isDrag)) line(`${kind.padEnd(34)}${value.toFixed(1).padStart(8)} ms`)
  const kinds = [...new Set(rows.filter((row) => !isDrag(row)).map((row) => row.case))]
  if (kinds.length === 0) return
  line(['case (ms of main thread)'.padEnd(26), ...names.map((name) => name.padStart(15))].join(''))
  for (const kind of kinds) {
    const cells = names.map((name) => (rows.find((row) => row.case === kind && row.system === name)?.value ?? 0).toFixed(1).padStart(15))
    line([kind.padEnd(26), ...cells].join(''))
  }
}

function line(text) {
  process.stdout.write(`${text}\n`)
}

/** @returns {never} */
function fail(why) {
  process.stderr.write(`bench map: ${why}\n`)
  process.exit(1)
}

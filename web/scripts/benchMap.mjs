/**
 * Measures what the map's fleet costs the main thread, against what others would have taken, in headless Chromium.
 * The page is built as the product is. Usage: node scripts/benchMap.mjs [--rounds N] [--only CASE]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
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

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '40' }, only: { type: 'string' } } })
const rounds = Number(options.rounds)
if (!Number.isInteger(rounds) || rounds < 1) fail(`--rounds takes a whole number above 0, not ${options.rounds}`)
const chosen = options.only === undefined ? cases : cases.filter((each) => each.name === options.only)
if (chosen.length === 0) fail(`--only takes one of ${cases.map((each) => each.name).join(', ')}`)

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
  const shared = { root, configFile: false, base: './', resolve: { alias }, logLevel: 'warn' }
  await build({ ...shared, build: { outDir, emptyOutDir: true, target: 'es2022', chunkSizeWarningLimit: 2000 } })
  const server = await preview({ ...shared, build: { outDir }, preview: { host: '127.0.0.1', port: 0 } })
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  try {
    const page = await browser.newPage({ viewport: { width: 1366, height: 768 } })
    page.on('pageerror', (error) => fail(error.message))
    await page.goto(server.resolvedUrls?.local[0] ?? fail('the page is nowhere'))
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
  const kinds = [...new Set(rows.map((row) => row.case))]
  line(['case (ms of main thread)'.padEnd(26), ...names.map((name) => name.padStart(15))].join(''))
  for (const kind of kinds) {
    const cells = names.map((name) => (rows.find((row) => row.case === kind && row.system === name)?.value ?? 0).toFixed(1).padStart(15))
    line([kind.padEnd(26), ...cells].join(''))
  }
}

function line(text) {
  process.stdout.write(`${text}\n`)
}

function fail(why) {
  process.stderr.write(`bench map: ${why}\n`)
  process.exit(1)
}

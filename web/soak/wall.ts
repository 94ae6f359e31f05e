/**
 * A browser that is looked at now and then and left alone between: whoever watches a page all the time has the browser keep what the page
 * fetches, and Playwright leaves a JavaScript context of its own in a page at each visit. That is the watcher's memory and not the page's.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { type Browser, chromium, type LaunchOptions } from '@playwright/test'

const LISTENS = /^DevTools listening on (ws:\S+)$/
const START_MS = 60_000
const SETTLE_TURNS = 4
/** After garbage is gone, resident memory is read so often: what comes anew in a second is megabytes where a page lives in haste. */
const READINGS = 20
const BETWEEN_READINGS_MS = 100
/** A page that is as busy as ever answers long before. */
const ANSWER_MS = 60_000

export const nap = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

export class Wall {
  /** What draws its pages, since it was first asked for: who ends amid a soak fails it. */
  private renderers: readonly number[] | undefined

  private constructor(
    private readonly process: ChildProcess,
    private readonly address: string,
    private readonly profile: string,
  ) {}

  /** Starts it, with an empty profile. */
  static async open({ executablePath, args = [] }: LaunchOptions): Promise<Wall> {
    if (executablePath === undefined) throw new Error('no browser is named')
    const profile = mkdtempSync(path.join(tmpdir(), 'wheelhouse-wall-'))
    const own = ['--headless', '--remote-debugging-port=0', `--user-data-dir=${profile}`, '--window-size=1920,1080', '--lang=zh-CN']
    const child = spawn(executablePath, [...args, ...own, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'], detached: true })
    // Whoever stops the soak stops its browser.
    process.once('exit', () => end(child))
    const address = new Promise<string>((resolve, reject) => {
      setTimeout(() => reject(new Error('the browser does not listen')), START_MS).unref()
      child.once('exit', (code) => reject(new Error(`the browser ended with ${code}`)))
      createInterface({ input: child.stderr }).on('line', (line) => {
        const found = LISTENS.exec(line)?.[1]
        if (found !== undefined) resolve(found)
      })
    })
    return new Wall(child, await address, profile)
  }

  /** What the page at a route holds after its garbage is gone, by the name of each metric (Chrome DevTools Protocol, `Performance`). */
  metricsOf(path: string): Promise<Map<string, number>> {
    return this.asked(path, async (line) => {
      await line.ask('Performance.enable')
      await line.ask('HeapProfiler.collectGarbage')
      const { metrics } = (await line.ask('Performance.getMetrics')) as { metrics: { name: string; value: number }[] }
      await line.ask('Performance.disable')
      const held = new Map(metrics.map(({ name, value }) => [name, value]))
      // What its workers hold is the page's too.
      await line.ask('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true })
      for (const worker of line.workers) {
        await line.ask('HeapProfiler.collectGarbage', {}, worker)
        const { usedSize } = (await line.ask('Runtime.getHeapUsage', {}, worker)) as { usedSize: number }
        const own = held.get('JSHeapUsedSize')
        if (own !== undefined) held.set('JSHeapUsedSize', own + usedSize)
      }
      return held
    })
  }

  /** Asks the page at a route, by a line of its own that leaves nothing in it. */
  private async asked<T>(path: string, ask: (line: Line) => Promise<T>): Promise<T> {
    const listed = await fetch(new URL('/json/list', this.address.replace('ws:', 'http:')))
    const targets = (await listed.json()) as { url: string; webSocketDebuggerUrl: string }[]
    const target = targets.find(({ url }) => url.endsWith(`#${path}`))
    if (target === undefined) throw new Error(`${path} is no longer open`)
    const socket = new WebSocket(target.webSocketDebuggerUrl)
    try {
      await new Promise((resolve, reject) => {
        socket.addEventListener('open', resolve)
        socket.addEventListener('error', () => reject(new Error(`${path} cannot be asked`)))
      })
      return await ask(new Line(socket))
    } finally {
      socket.close()
    }
  }

  /** Watches it for as long as `look` takes. */
  async watched<T>(look: (browser: Browser) => Promise<T>): Promise<T> {
    const browser = await chromium.connectOverCDP(this.address)
    try {
      return await look(browser)
    } finally {
      await browser.close()
    }
  }

  /**
   * Resident memory of each process that draws its pages, in the order in which they began, without what is shared with others: the least of what
   * is read right after garbage was collected, and that several times over: surfaces on their way to the screen come and go by ten megabytes, and
   * what one collection leaves in pages that are half empty the next one gives back.
   */
  async residentMb(paths: readonly string[]): Promise<number[]> {
    this.renderers ??= renderersOf(this.process.pid).toSorted((one, other) => one - other)
    const { renderers } = this
    const least = new Map<number, number>()
    for (let turn = 0; turn < SETTLE_TURNS; turn += 1) {
      for (const path of paths) {
        await this.asked(path, (line) => line.ask('HeapProfiler.collectGarbage'))
        for (let reading = 0; reading < READINGS; reading += 1) {
          for (const pid of renderers) least.set(pid, Math.min(least.get(pid) ?? Number.POSITIVE_INFINITY, residentMb(pid)))
          await nap(BETWEEN_READINGS_MS)
        }
      }
    }
    return renderers.map((pid) => least.get(pid) ?? Number.NaN)
  }

  /** Ends it. */
  async close(): Promise<void> {
    const gone = new Promise((resolve) => {
      this.process.removeAllListeners('exit').once('exit', resolve)
    })
    if (end(this.process)) await gone
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Ends what still runs; whether it did. What is named as the browser may be a script that started it: the whole group goes. */
function end({ pid, exitCode, signalCode }: ChildProcess): boolean {
  if (pid === undefined || exitCode !== null || signalCode !== null) return false
  process.kill(-pid)
  return true
}

interface Said {
  id?: number
  result?: unknown
  error?: unknown
  method?: string
  params?: { sessionId: string }
}

/** A page and its workers, asked by the Chrome DevTools Protocol. */
class Line {
  /** The sessions of its workers, once they are attached to. */
  readonly workers: string[] = []
  // Ids are of 32 bits with a sign, so that no clock tells them.
  private last = 0

  constructor(private readonly socket: WebSocket) {
    socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const { method, params } = JSON.parse(data) as Said
      if (method === 'Target.attachedToTarget' && params !== undefined) this.workers.push(params.sessionId)
    })
  }

  /** What is answered, by the page or by one of its workers. */
  ask(method: string, params: object = {}, sessionId?: string): Promise<unknown> {
    const id = (this.last += 1)
    return new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error(`${method} is not answered in time`)), ANSWER_MS).unref()
      const hear = ({ data }: MessageEvent<string>) => {
        const said = JSON.parse(data) as Said
        if (said.id !== id) return
        this.socket.removeEventListener('message', hear)
        if (said.error === undefined) resolve(said.result)
        else reject(new Error(`${method}: ${JSON.stringify(said.error)}`))
      }
      this.socket.addEventListener('message', hear)
      this.socket.addEventListener('close', () => reject(new Error(`${method} is not answered`)))
      this.socket.send(JSON.stringify({ id, method, params, sessionId }))
    })
  }
}

/** Resident memory of a process, without what it shares with others. */
export function residentMb(pid: number): number {
  const kb = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kb) / 1024
}

/** What a process started, and what those started, where it draws pages. */
function renderersOf(root: number | undefined): number[] {
  const started = new Map<number, number[]>()
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = parentOf(Number(name))
    if (parent !== undefined) started.set(parent, [...(started.get(parent) ?? []), Number(name)])
  }
  const below = (pid: number): number[] => (started.get(pid) ?? []).flatMap((child) => [child, ...below(child)])
  return root === undefined ? [] : below(root).filter((pid) => read(`/proc/${pid}/cmdline`).includes('--type=renderer'))
}

function parentOf(pid: number): number | undefined {
  const parent = /^PPid:\s+(\d+)$/m.exec(read(`/proc/${pid}/status`))?.[1]
  return parent === undefined ? undefined : Number(parent)
}

/** What a file says; nothing when its process ended meanwhile. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

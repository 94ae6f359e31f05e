/** Starts a private server with its stores for the browser tests, unless WHEELHOUSE_URL names a running one. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const START_MS = 15 * 60 * 1000
/** How long the stores may take to end; they are told in any case. */
const STOP_MS = 10_000

interface Stack {
  url: string
  admin_phone: string
  sms_code: string
  machine_token_file: string | null
  mqtt: string | null
  simulator: string
  server_pid: number
}

export default async function startStack(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.WHEELHOUSE_URL) return undefined
  const root = fileURLToPath(new URL('../..', import.meta.url))
  // Specs serve map tiles on this machine, and ask for some that nobody serves.
  const env = { ...process.env, WHEELHOUSE_IMAGE_SOURCES: 'http://127.0.0.1:*,https://tiles.invalid' }
  const child = spawn('cargo', ['xtask', 'stack', '--json'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready`)))
  })
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('the server was not ready in time')), START_MS).unref()
  })
  const ready = new Promise<Stack>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('{')) resolve(JSON.parse(line) as Stack)
    })
  })
  const stop = () => {
    // The whole group: cargo, the server and its stores.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
  }
  const stack = await Promise.race([ready, ended, late]).catch((error: unknown) => {
    stop()
    throw error
  })
  process.env.WHEELHOUSE_URL = stack.url
  process.env.WHEELHOUSE_ADMIN_PHONE = stack.admin_phone
  process.env.WHEELHOUSE_SMS_CODE = stack.sms_code
  process.env.WHEELHOUSE_MACHINE_TOKEN_FILE = stack.machine_token_file ?? ''
  process.env.WHEELHOUSE_MQTT = stack.mqtt ?? ''
  process.env.WHEELHOUSE_SIMULATOR = stack.simulator
  process.env.WHEELHOUSE_SERVER_PID = String(stack.server_pid)
  return async () => {
    const gone = new Promise((resolve) => {
      child.once('exit', resolve)
    })
    child.removeAllListeners('exit')
    child.once('exit', () => undefined)
    stop()
    await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, STOP_MS))])
  }
}

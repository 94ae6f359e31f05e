/** A bike of its own with which something goes wrong, by the simulator. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { machineTokenFile, server, setting } from './fixtures'
import type { Beside } from './keeping'

export interface Theft {
  carId: string
  /** When it was beyond doubt wrong, as away from where it rested: the device's epoch ms. */
  goneAt: Promise<number>
  end(): void
}

/** A bike beside another one, which a van takes away. */
export async function theft({ agentId, areaId, lat, lng }: Beside, ...more: string[]): Promise<Theft> {
  const target = ['--server', server(), '--token-file', machineTokenFile(), '--mqtt', setting('WHEELHOUSE_MQTT')]
  const van = spawn(setting('WHEELHOUSE_SIMULATOR'), ['theft', ...target, '--agent', agentId, '--area', areaId, '--lat', String(lat), '--lng', String(lng), ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: van.stdout })[Symbol.asyncIterator]()
  const said = async <Said>() => JSON.parse((await lines.next()).value as string) as Said
  const { carId } = await said<{ carId: string }>()
  return { carId, goneAt: said<{ goneAt: number }>().then(({ goneAt }) => goneAt), end: () => van.kill() }
}

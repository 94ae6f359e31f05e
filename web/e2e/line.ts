/** A line to the server that can be cut: what a browser sees of a server that is lost and comes back. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { server } from './fixtures'

export interface Line {
  readonly origin: string
  /** Ends all connections and refuses new ones. */
  cut(): Promise<void>
  /** Lets them through again. */
  mend(): Promise<void>
}

/** Opens a line at a free port of this machine. */
export async function openLine(): Promise<Line> {
  const target = new URL(server())
  const ends = new Set<Socket>()
  const keep = (socket: Socket, other: Socket) => {
    ends.add(socket)
    socket.on('error', () => other.destroy())
    socket.on('close', () => {
      ends.delete(socket)
      other.destroy()
    })
  }
  const listener = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    keep(near, far)
    keep(far, near)
    near.pipe(far).pipe(near)
  })
  const listen = async (port: number) => {
    listener.listen(port, '127.0.0.1')
    await once(listener, 'listening')
    return (listener.address() as AddressInfo).port
  }
  const port = await listen(0)
  return {
    origin: `http://127.0.0.1:${port}`,
    async cut() {
      const closed = once(listener, 'close')
      listener.close()
      for (const socket of ends) socket.destroy()
      await closed
    },
    async mend() {
      await listen(port)
    },
  }
}

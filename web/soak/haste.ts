/**
 * Has a page live faster: its clocks ring so many times as often, and what the server pushed is heard so many times, spread over the time until
 * the next push, with other figures and places each time. Hours of pushes and turns of clocks pass in minutes; what the page keeps of
 * them it keeps all the same. Runs in the page before anything of it, so it refers to nothing outside.
 */
export function hasten(factor: number): void {
  const { setTimeout: later, setInterval: again, WebSocket: Plain } = window
  window.setTimeout = ((run: TimerHandler, ms = 0, ...rest: unknown[]) => later(run, ms / factor, ...rest)) as typeof window.setTimeout
  window.setInterval = ((run: TimerHandler, ms = 0, ...rest: unknown[]) => again(run, ms / factor, ...rest)) as typeof window.setInterval

  // Of docs/push.md: walls come every two seconds, changes of the fleet every second.
  const WALL_MS = 2_000
  const FLEET_MS = 1_000
  const CHANGES = 1
  const HEADER_BYTES = 16
  const BIKE_BYTES = 16
  const some = (most: number) => Math.floor(Math.random() * most)

  const otherFigures = (text: string) => text.replace(/"(\w*(?:Cents|Count|orders|rides|riding|online|total))":(\d+)/g, (_, key: string, figure: string) => `"${key}":${Number(figure) + some(500)}`)
  const otherPlaces = (buffer: ArrayBuffer) => {
    const copy = buffer.slice(0)
    const view = new DataView(copy)
    for (let at = HEADER_BYTES; at < copy.byteLength; at += BIKE_BYTES) {
      view.setInt32(at + 4, view.getInt32(at + 4, true) + some(41) - 20, true)
      view.setInt32(at + 8, view.getInt32(at + 8, true) + some(41) - 20, true)
    }
    return copy
  }

  window.WebSocket = class extends Plain {
    constructor(address: string | URL, protocols?: string | string[]) {
      super(address, protocols)
      this.addEventListener('message', ({ data, isTrusted }: MessageEvent<string | ArrayBuffer>) => {
        if (!isTrusted) return
        if (typeof data === 'string') {
          if (data.includes('"topic":"screen/') && data.includes('"data":')) this.repeat(WALL_MS, () => otherFigures(data))
        } else if (new Uint8Array(data)[1] === CHANGES) {
          this.repeat(FLEET_MS, () => otherPlaces(data))
        }
      })
    }

    private repeat(withinMs: number, made: () => string | ArrayBuffer): void {
      for (let turn = 1; turn < factor; turn += 1) later(() => this.dispatchEvent(new MessageEvent('message', { data: made() })), (turn * withinMs) / factor)
    }
  }
}

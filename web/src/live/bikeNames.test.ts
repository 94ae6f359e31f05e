import { describe, expect, it } from 'vitest'

import { BikeNames, PAUSE_MS } from './bikeNames'

function desk() {
  const asked: number[] = []
  const timers: { ms: number; run: () => void }[] = []
  const names = new BikeNames(
    (slot) => {
      asked.push(slot)
      return Promise.resolve(slot === 99 ? null : `A${slot}`)
    },
    (ms, run) => timers.push({ ms, run }),
  )
  return { names, asked, timers, turn: () => timers.shift()?.run() }
}

describe('numbers of bikes', () => {
  it('are asked once, and known afterwards', async () => {
    const { names, asked, turn } = desk()
    let told = 0
    names.onChange(() => {
      told += 1
    })
    expect([names.of(4), names.of(4)]).toEqual([undefined, undefined])
    turn()
    await Promise.resolve()
    expect([names.of(4), names.slotOf('A4'), names.slotOf('B1')]).toEqual(['A4', 4, -1])
    expect([asked, told]).toEqual([[4], 1])
  })

  it('are never asked faster than the server allows, what was wanted last first', async () => {
    const { names, asked, timers, turn } = desk()
    for (let slot = 0; slot < 20; slot += 1) names.of(slot)
    turn()
    expect(asked).toEqual([8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
    await Promise.resolve()
    names.of(50)
    expect(timers.map(({ ms }) => ms)).toEqual([PAUSE_MS])
    turn()
    expect(asked.slice(12)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 50])
  })

  it('that nobody knew are asked for again, and forgotten ones too', async () => {
    const { names, asked, turn } = desk()
    names.of(99)
    turn()
    await Promise.resolve()
    turn()
    names.of(99)
    turn()
    expect(asked).toEqual([99, 99])
    names.learn(3, 'A3')
    names.clear()
    expect(names.of(3)).toBeUndefined()
  })
})

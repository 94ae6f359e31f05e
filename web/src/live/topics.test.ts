import { describe, expect, it, vi } from 'vitest'

import { TOPIC_LIMIT, TopicDesk } from './topics'

const at = (west: number) => ({ bbox: [west, 30, west + 1, 31] as const, zoom: 14 })
const nobody = { data: () => {} }

describe('the topic desk', () => {
  it('watches a topic once for any number of listeners and leaves with the last', () => {
    const desk = new TopicDesk()
    const first = desk.listen('read/role', nobody)
    const second = desk.listen('read/role', { data: () => {} })
    expect(desk.due(9).frames).toEqual([{ op: 'watch', topic: 'read/role' }])
    first()
    expect(desk.due(9).frames).toEqual([])
    second()
    expect(desk.due(9).frames).toEqual([{ op: 'unwatch', topic: 'read/role' }])
    expect(desk.wanted()).toBe(false)
  })

  it('tells each listener when its topic begins: one that comes later at once, and all again after a loss', () => {
    const desk = new TopicDesk()
    const begun: string[] = []
    const called = (name: string) => ({ ...nobody, begun: () => begun.push(name) })
    const leave = desk.listen('read/role', called('first'))
    desk.due(9)
    expect(begun).toEqual([])
    desk.accepted('read/role', 0)
    desk.listen('read/role', called('second'))
    expect(begun).toEqual(['first', 'second'])
    leave()
    desk.forgetTold()
    desk.listen('read/role', called('third'))
    expect(begun).toHaveLength(2)
    desk.due(9)
    desk.accepted('read/role', 0)
    expect(begun).toEqual(['first', 'second', 'second', 'third'])
  })

  it('takes the answer to a watch that was taken back for nothing', () => {
    const desk = new TopicDesk()
    const leave = desk.listen('read/role', nobody)
    desk.due(9)
    leave()
    desk.due(9)
    desk.accepted('read/role', 0)
    let begun = false
    desk.listen('read/role', { ...nobody, begun: () => { begun = true } })
    expect(begun).toBe(false)
  })

  it('sends nothing for a change of mind', () => {
    const desk = new TopicDesk()
    desk.listen('vehicle/A1', nobody)()
    expect(desk.due(9)).toEqual({ frames: [], more: false })
  })

  it('watches the fleet only once there is a viewport, and again when it moves', () => {
    const desk = new TopicDesk()
    desk.listen('fleet', nobody)
    expect(desk.due(9).frames).toEqual([])
    desk.look(at(120))
    expect(desk.due(9).frames).toEqual([{ op: 'watch', topic: 'fleet', bbox: [120, 30, 121, 31], zoom: 14 }])
    desk.look(at(120))
    expect(desk.due(9).frames).toEqual([])
    desk.look(at(121))
    expect(desk.due(9).frames).toHaveLength(1)
    desk.look(null)
    expect(desk.due(9).frames).toEqual([{ op: 'unwatch', topic: 'fleet' }])
  })

  it('asks for the same view again when what came of it is forgotten', () => {
    const desk = new TopicDesk()
    const leave = desk.listen('fleet', nobody)
    desk.look(at(120))
    desk.due(9)
    leave()
    desk.lookAnew()
    desk.listen('fleet', nobody)
    desk.look(at(120))
    expect(desk.due(9).frames).toEqual([{ op: 'watch', topic: 'fleet', bbox: [120, 30, 121, 31], zoom: 14 }])
    expect(desk.due(9).frames).toEqual([])
  })

  it('leaves the fleet that is forgotten and wanted no more', () => {
    const desk = new TopicDesk()
    const leave = desk.listen('fleet', nobody)
    desk.look(at(120))
    desk.due(9)
    leave()
    desk.lookAnew()
    expect(desk.due(9).frames).toEqual([{ op: 'unwatch', topic: 'fleet' }])
  })

  it('names the tick to resume from in the first watch only', () => {
    const desk = new TopicDesk()
    desk.listen('fleet', nobody)
    desk.look(at(120), { since: 812, instance: 'one' })
    expect(desk.due(9).frames).toMatchObject([{ since: 812, instance: 'one' }])
    desk.forgetTold()
    expect(desk.due(9).frames[0]).not.toHaveProperty('since')
  })

  it('sends no more frames at once than allowed and says that there are more', () => {
    const desk = new TopicDesk()
    for (let n = 0; n < 5; n += 1) desk.listen(`read/t${n}`, nobody)
    expect(desk.due(3)).toMatchObject({ more: true, frames: { length: 3 } })
    expect(desk.due(3)).toMatchObject({ more: false, frames: { length: 2 } })
  })

  it('never asks for more topics than the server allows and tells the one too many', () => {
    const desk = new TopicDesk()
    for (let n = 0; n < TOPIC_LIMIT; n += 1) desk.listen(`read/t${n}`, nobody)
    const refused = vi.fn<(text: string) => void>()
    desk.listen('read/late', { data: () => {}, refused })
    expect(desk.due(1_000).frames).toHaveLength(TOPIC_LIMIT)
    expect(refused).toHaveBeenCalledOnce()
  })

  it('delivers to the listeners of the topic alone', () => {
    const desk = new TopicDesk()
    const [mine, other] = [vi.fn<(data: unknown, seq: number) => void>(), vi.fn<(data: unknown, seq: number) => void>()]
    desk.listen('vehicle/A1', { data: mine })
    desk.listen('vehicle/A2', { data: other })
    desk.deliver('vehicle/A1', { soc: 5 }, 9)
    expect(mine).toHaveBeenCalledWith({ soc: 5 }, 9)
    expect(other).not.toHaveBeenCalled()
  })
})

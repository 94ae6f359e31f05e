import { describe, expect, it } from 'vitest'

import { mayDo, type Note } from './notes'

const note: Note = { id: '5', agentId: null, operatorId: '7', byName: '王芳', text: '东门缺车', bikes: [], writtenAt: 1000, acknowledgedAt: null, acknowledgedBy: '' }

describe('a hand-over note', () => {
  it('is acknowledged by others, once', () => {
    expect(mayDo(note, '8', 1000).acknowledge).toBe(true)
    expect(mayDo(note, '7', 1000).acknowledge).toBe(false)
    expect(mayDo({ ...note, acknowledgedAt: 2000 }, '8', 3000).acknowledge).toBe(false)
  })

  it('is taken back by its author, for ten minutes and while nobody acknowledged it', () => {
    expect(mayDo(note, '7', 600_999).withdraw).toBe(true)
    expect(mayDo(note, '7', 601_000).withdraw).toBe(false)
    expect(mayDo(note, '8', 1000).withdraw).toBe(false)
    expect(mayDo({ ...note, acknowledgedAt: 2000 }, '7', 3000).withdraw).toBe(false)
  })
})

import { describe, expect, it } from 'vitest'
import { brought, follow, type Following, type FollowEvent, judge, MOST_CHANGES, nothingTold, REFETCH_PAUSE_MS, type Shown } from './follow'

const shown: Shown = { keys: new Set(['a', 'b']), askedAt_ms: 100, seen: 40 }
const told = (at_ms: number, keys: string[], seq = 50): FollowEvent => ({ kind: 'told', keys, seq, at_ms })
const after = (...events: FollowEvent[]): Following => events.reduce(follow, nothingTold)

describe('a change of a row in sight', () => {
  it('has the list asked for at once, and what changed a moment later when a second is over', () => {
    const first = after(told(200, ['a']))
    expect(judge(first, shown).refetchAt_ms).toBe(Number.NEGATIVE_INFINITY)
    const asked = follow(first, { kind: 'refetched', at_ms: 210 })
    expect(judge(asked, shown).refetchAt_ms).toBeNull()
    const second = follow(follow(asked, told(300, ['b'])), told(400, ['a']))
    expect(judge(second, shown)).toEqual({ refetchAt_ms: 210 + REFETCH_PAUSE_MS, updates: 0 })
  })

  it('that came while an answer was on its way is not lost with it', () => {
    const state = after(told(200, ['a']), { kind: 'refetched', at_ms: 210 }, told(220, ['b']), {
      kind: 'shown',
      shown: { ...shown, askedAt_ms: 211 },
    })
    expect([...state.changes.keys()]).toEqual(['b'])
    expect(judge(state, { ...shown, askedAt_ms: 211 }).refetchAt_ms).toBe(210 + REFETCH_PAUSE_MS)
  })

  it('is not asked for again and again when no answer comes', () => {
    const state = after(told(200, ['a']), { kind: 'refetched', at_ms: 210 })
    expect(judge(state, shown).refetchAt_ms).toBeNull()
    expect(judge(follow(state, told(9000, ['a'])), shown).refetchAt_ms).toBe(210 + REFETCH_PAUSE_MS)
  })

  it('is known to have been brought by the answer that was asked for after it', () => {
    const state = after(told(200, ['a', 'x']), told(220, ['b']), told(150, []))
    expect(brought(state, { ...shown, askedAt_ms: 210 })).toEqual(['a', 'x'])
    expect(brought(state, shown)).toEqual([])
  })
})

describe('a change of a row out of sight', () => {
  it('moves nothing and is counted, each row once', () => {
    const state = after(told(200, ['x', 'y']), told(1300, ['x']), told(1400, ['z']))
    expect(judge(state, shown)).toEqual({ refetchAt_ms: null, updates: 3 })
  })

  it('is in the answer of whatever was asked for after it', () => {
    const page2: Shown = { keys: new Set(['x']), askedAt_ms: 300, seen: 40 }
    const state = follow(after(told(200, ['x', 'y'])), { kind: 'shown', shown: page2 })
    expect(state.changes.size).toBe(0)
    expect(judge(state, page2).updates).toBe(0)
  })

  it('shows by itself once its row is in sight, and where there are no rows', () => {
    const state = after(told(200, ['x']))
    expect(judge(state, { ...shown, keys: new Set(['x']) }).refetchAt_ms).not.toBeNull()
    expect(judge(state, { ...shown, keys: new Set() })).toEqual({ refetchAt_ms: Number.NEGATIVE_INFINITY, updates: 0 })
  })

  it('is no news to who made it', () => {
    expect(judge(after(told(200, ['x'], 40)), shown)).toEqual({ refetchAt_ms: Number.NEGATIVE_INFINITY, updates: 0 })
    expect(judge(after(told(200, ['x'], 41)), shown).updates).toBe(1)
    expect(judge(after(told(200, ['x'], 0)), shown).updates).toBe(1)
  })

  it('is forgotten, the oldest first, where there are more than anybody counts', () => {
    const keys = Array.from({ length: MOST_CHANGES }, (_, index) => `x${index}`)
    const state = follow(after(told(200, ['first', ...keys.slice(1)])), told(300, [...keys.slice(0, 1), 'a']))
    expect(state.changes.size).toBe(MOST_CHANGES)
    expect(state.changes.has('first')).toBe(false)
    expect(judge(state, shown).refetchAt_ms).not.toBeNull()
  })
})

it('when anything may have changed all is asked for again', () => {
  expect(judge(after(told(200, [], 0)), shown)).toEqual({ refetchAt_ms: Number.NEGATIVE_INFINITY, updates: 0 })
})

it('where any row shows, every change does', () => {
  expect(judge(after(told(200, ['x'])), { ...shown, keys: 'all' }).refetchAt_ms).not.toBeNull()
})

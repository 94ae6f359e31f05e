import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TOKEN, tokenOf } from '@/api/server.fixture'
import { withoutOrigin } from './enter'
import { firstSelection } from './selection'
import { replaceToken, storeSelection, storeToken } from './stored'
import { answerTo, ENTERED, newsOf } from './tabs'

const same = { userId: '900', sid: 's1', pv: 1 }

describe('what another tab did', () => {
  it('a token that goes, or a store that is emptied, is a logout', () => {
    expect(newsOf('Access-Token', TOKEN, null)).toBe('left')
    expect(newsOf(null, null, null)).toBe('left')
  })

  it('a login counts when it is complete, not when the token lies there', () => {
    expect(newsOf('Access-Token', null, TOKEN)).toBeNull()
    expect(newsOf(ENTERED, null, '1700000000000')).toBe('entered')
  })

  it('a newer token tells of other rights when the permissions or the session are others', () => {
    const token = tokenOf(same)
    expect(newsOf('Access-Token', token, tokenOf({ ...same, exp: 9 }))).toBeNull()
    expect(newsOf('Access-Token', token, tokenOf({ ...same, pv: 2 }))).toBe('rights')
    expect(newsOf('Access-Token', token, tokenOf({ ...same, sid: 's2' }))).toBe('rights')
    expect(newsOf('Access-Token', token, tokenOf({ ...same, userId: '901', sid: 's2' }))).toBeNull()
  })

  it('a selection is told, other keys are not', () => {
    expect(newsOf('opAreaIds', '', '21')).toBe('selection')
    expect(newsOf('agentIds', '7', '')).toBe('selection')
    expect(newsOf('ebike_ops__hideClient', 'false', 'true')).toBeNull()
  })
})

describe('what this tab does about it', () => {
  it('a logout elsewhere ends this page too, a login page stays', () => {
    expect(answerTo('left', '900', false, null)).toBe('leave')
    expect(answerTo('selection', '900', false, null)).toBe('leave')
    expect(answerTo('left', null, false, null)).toBe('nothing')
  })

  it('a login elsewhere opens a waiting login page, and turns another person out', () => {
    expect(answerTo('entered', null, true, '900')).toBe('reload')
    expect(answerTo('entered', '901', true, '900')).toBe('reload')
  })

  it('a login of the same person reloads the rights, the page stays', () => {
    expect(answerTo('entered', '900', true, '900')).toBe('refresh')
    expect(answerTo('rights', '900', true, '900')).toBe('refresh')
  })

  it('late news of a logout do not end the login that followed it', () => {
    expect(answerTo('left', '900', true, '900')).toBe('nothing')
  })

  it('a selection elsewhere is taken over', () => {
    expect(answerTo('selection', '900', true, '900')).toBe('adopt')
    expect(answerTo('selection', null, true, '900')).toBe('nothing')
  })
})

describe('what is selected', () => {
  beforeEach(() => localStorage.clear())
  afterEach(() => localStorage.clear())
  const kept = (key: string) => localStorage.getItem(key)

  it('AMB-103 a renewal keeps the selection, and that of the walls', () => {
    storeToken(TOKEN)
    localStorage.setItem('opAreaIdsBigScreen', '22')
    replaceToken(tokenOf({ ...same, opAreaIds: ['21'], agentIds: [] }), ['7'], ['21', '22'])
    expect(kept('opAreaIdsBigScreen')).toBe('22')
    expect([kept('agentIds'), kept('opAreaIds'), kept('currentServiceId')]).toEqual(['7', '21,22', '21'])
    expect(kept('userId')).toBe('900')
  })

  it('AMB-084 the walls start with the areas of the first load, which has the current one first', () => {
    storeSelection([], firstSelection(['22', '23'], 5))
    expect([kept('opAreaIds'), kept('opAreaIdsBigScreen'), kept('currentServiceId')]).toEqual(['22,23', '22,23', '22'])
    storeSelection([], [])
    expect([kept('opAreaIds'), kept('opAreaIdsBigScreen'), kept('currentServiceId')]).toEqual(['', '22,23', ''])
  })
})

describe('the address after a login', () => {
  it('a followed link is taken out of it, and nothing else', () => {
    expect(withoutOrigin('/', '?origin=a.b')).toBe('/')
    expect(withoutOrigin('/x/', '?domain=a.example&origin=a.b')).toBe('/x/?domain=a.example')
    expect(withoutOrigin('/', '')).toBe('/')
  })
})

import { describe, expect, it } from 'vitest'
import { type AreaOption, areasWithin, billingLabel, billingShort, contractStanding, contractText } from './agent'
import { disableConsequence, switched, whyKept } from './useAgentCommands'

const areas: AreaOption[] = [
  { id: '1', name: '湖滨', agentId: 'top' },
  { id: '2', name: '湖里', agentId: 'child' },
  { id: '3', name: '泉州', agentId: 'other' },
]

describe('the areas that an agent may get', () => {
  it('are its own and those of its parent', () => {
    expect(areasWithin(areas, 'child', 'top').map(({ id }) => id)).toEqual(['1', '2'])
    expect(areasWithin(areas, null, 'top').map(({ id }) => id)).toEqual(['1'])
  })
  it('are all of them under the platform', () => {
    expect(areasWithin(areas, 'top', null)).toEqual(areas)
  })
})

describe('a switched agent', () => {
  it('is switched, or waits for a second person', () => {
    expect(switched({})).toBe('代理状态已更新')
    expect(switched({ approvalId: '7' })).toContain('已提交复核')
  })
})

describe('a contract', () => {
  const on = (day: string) => Date.parse(`${day}T12:00:00+08:00`)
  it('runs on its last day and is over on the next', () => {
    expect(contractStanding('2026-01-01', '2026-12-31', on('2026-12-31'))).toBe('soon')
    expect(contractStanding('2026-01-01', '2026-12-31', on('2027-01-01'))).toBe('over')
  })
  it('ends soon from thirty days before its end', () => {
    expect(contractStanding('2026-01-01', '2026-12-31', on('2026-11-30'))).toBe('running')
    expect(contractStanding('2026-01-01', '2026-12-31', on('2026-12-01'))).toBe('soon')
  })
  it('may not have begun, have no end, or not be there', () => {
    expect(contractStanding('2026-01-02', null, on('2026-01-01'))).toBe('future')
    expect(contractStanding('2026-01-02', null, on('2026-01-02'))).toBe('running')
    expect(contractStanding(null, null, on('2026-01-02'))).toBe('none')
    expect(contractText('2026-01-02', null)).toBe('2026-01-02 至 长期')
    expect(contractText(null, null)).toBe('--')
  })
})

describe('what follows', () => {
  it('names the children that stay as they are when an agent is disabled', () => {
    expect(disableConsequence(0)).not.toContain('下级代理')
    expect(disableConsequence(2)).toContain('2 个下级代理不受影响')
  })
  it('says why an agent cannot be deleted', () => {
    expect(whyKept({ childCount: 1, areaCount: 3 })).toContain('1 个下级代理')
    expect(whyKept({ childCount: 0, areaCount: 3 })).toContain('3 个服务区')
    expect(whyKept({ childCount: 0, areaCount: 0 })).toBeUndefined()
  })
  it('names ways of billing, and does not guess at others', () => {
    expect([billingLabel(0), billingLabel(1), billingLabel(9)]).toEqual(['自有商户收银', '平台收银（分账）', '--'])
    expect([billingShort(0), billingShort(1), billingShort(9)]).toEqual(['自有商户', '平台分账', '--'])
  })
})

import { describe, expect, it } from 'vitest'
import { balancesOf, calledOf, movementText, walletCentsOf } from './rider'

describe('riders', () => {
  it('are known by what is masked, else by their number', () => {
    expect(calledOf({ nameMasked: '陈*', phoneMasked: '136****0001', userId: '7' })).toBe('陈* 136****0001')
    expect(calledOf({ nameMasked: '', phoneMasked: '', userId: '7' })).toBe('7')
  })

  it('get amounts of up to ten thousand yuan', () => {
    expect(['0.01', '10000', '12.5'].map(walletCentsOf)).toEqual([1, 1_000_000, 1250])
    expect(['10000.01', '-1', '1.234', '', undefined].map(walletCentsOf)).toEqual([null, null, null, null, null])
  })

  it('have balances that go from the oldest entry to the newest', () => {
    const rows = [
      { recordedAt: 2, balanceAfterCents: 350 },
      { recordedAt: 1, balanceAfterCents: 100 },
    ]
    expect(balancesOf(rows)).toEqual([
      { at_ms: 1, yuan: 1 },
      { at_ms: 2, yuan: 3.5 },
    ])
  })

  it('have entries with names, also of those that are not known yet', () => {
    expect([1, 7, null].map((movement) => movementText({ movement: movement as 1 | 7 | null }))).toEqual(['骑行费用', '人工充值', '其他'])
  })
})

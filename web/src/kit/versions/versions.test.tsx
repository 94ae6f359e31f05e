import { cleanup, render, screen, within } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { newestOf, VersionList } from './VersionList'
import { type Counted, differenceOf, saidOf, stateOf, termText, timesOf } from './versions'

afterEach(cleanup)

const NOW = 1_790_000_000_000
const HOUR_MS = 3_600_000

describe('how a version stands', () => {
  it('counts while one of its times lasts', () => {
    const version: Counted = { fromAt: NOW - 10, counted: [[NOW - 10, NOW - 5], [NOW, null]] }
    expect(stateOf(version, NOW)).toBe('now')
    expect(stateOf(version, NOW - 3)).toBe('past')
    expect(stateOf({ ...version, counted: [], fromAt: NOW + 1 }, NOW)).toBe('future')
    expect(stateOf({ ...version, withdrawn: true }, NOW)).toBe('withdrawn')
    expect(stateOf({ fromAt: NOW, counted: [[NOW, null]] }, Infinity)).toBe('now')
  })

  it('its times are said, and that it had none', () => {
    expect(timesOf([])).toBe('没有生效过')
    expect(timesOf([[NOW, NOW + HOUR_MS], [NOW + 2 * HOUR_MS, null]])).toMatch(/^\d{4}.* 至 \d{4}.*；\d{4}.* 至 今$/)
  })

  it('what begins and ends is said', () => {
    expect(termText({ from: null, until: null }, '恢复原样')).toBe('立即生效')
    expect(termText({ from: NOW, until: NOW + HOUR_MS }, '恢复原样')).toMatch(/ 起生效，.* 恢复原样$/)
  })

  it('a field differs in words, and emptiness is said', () => {
    expect(differenceOf('备注', '', null)).toEqual([])
    expect(differenceOf('备注', null, '夜间').map(saidOf)).toEqual(['备注 （空） → 夜间'])
  })
})

interface Row extends Counted {
  dataVersion: number
  capacity: number
}

const rows: Row[] = [
  { dataVersion: 4, capacity: 60, fromAt: NOW + HOUR_MS, counted: [[NOW + HOUR_MS, null]] },
  { dataVersion: 3, capacity: 50, withdrawn: true, fromAt: NOW, counted: [] },
  { dataVersion: 2, capacity: 40, fromAt: NOW - 5, counted: [[NOW - 5, NOW + HOUR_MS]] },
  { dataVersion: 1, capacity: 30, fromAt: NOW - 10, counted: [[NOW - 10, NOW - 5]] },
]

function show(acts: { onRollBack?(number: number): void; onWithdraw?(number: number): void }) {
  const onCompare = vi.fn<(number: number | null) => void>()
  render(
    <VersionList
      rows={rows}
      at_ms={NOW}
      countedOf={(row) => row}
      changesOf={(row, before) => (before ? differenceOf('上限', String(before.capacity), String(row.capacity)) : ['首次发布'])}
      compared={1}
      onCompare={onCompare}
      emptyText="没有"
      {...acts}
    />,
  )
  const version = (number: number) => within(screen.getByRole('listitem', { name: `第 ${number} 版` }))
  return { version, onCompare }
}

describe('the list of versions', () => {
  it('each says how it stands and what it changed of the one before', () => {
    const { version } = show({})
    expect(version(4).getByText('待生效')).toBeTruthy()
    expect(version(3).getByText('已撤回')).toBeTruthy()
    expect(version(2).getByText('生效中')).toBeTruthy()
    expect(version(1).getByText('首次发布')).toBeTruthy()
    const change = version(2).getAllByRole('listitem')[0]!
    expect(change.textContent).toBe('上限 30 → 40')
    expect(change.querySelector('del')?.textContent).toBe('30')
  })

  it('one to come is taken back, an older one is compared with and gone back to', () => {
    const [onRollBack, onWithdraw] = [vi.fn<(number: number) => void>(), vi.fn<(number: number) => void>()]
    const { version, onCompare } = show({ onRollBack, onWithdraw })
    version(4).getByRole('button', { name: /撤\s*回/ }).click()
    expect(onWithdraw).toHaveBeenCalledWith(4)
    version(1).getByRole('button', { name: '回滚到此版' }).click()
    expect(onRollBack).toHaveBeenCalledWith(1)
    version(1).getByRole('button', { name: /对\s*比/ }).click()
    expect(onCompare).toHaveBeenCalledWith(null)
    expect(version(4).queryByRole('button', { name: '回滚到此版' })).toBeNull()
  })

  it('who may not is offered neither', () => {
    const { version } = show({})
    expect(version(1).queryByRole('button', { name: '回滚到此版' })).toBeNull()
    expect(version(4).queryByRole('button')).toBeNull()
  })

  it('the newest is the one that was not taken back', () => {
    expect(newestOf(rows.slice(1), (row) => row)?.dataVersion).toBe(2)
    expect(newestOf(rows.slice(1, 2), (row) => row)?.dataVersion).toBe(3)
  })
})

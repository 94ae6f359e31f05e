import { act, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router-dom'
import { afterEach, expect, it, vi } from 'vitest'

import { Counting, countText, yuanText } from './Counting'
import { NowContext } from './contexts'
import { strengthOf } from './RevenueMap'
import { Tile } from './Tile'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

function reducedMotion(reduced: boolean) {
  vi.stubGlobal('matchMedia', (query: string) => ({ matches: reduced && query.includes('reduced-motion'), addEventListener() {}, removeEventListener() {} }))
}

/** Animation frames by hand. */
function frames() {
  let waiting: FrameRequestCallback[] = []
  let now = 0
  vi.stubGlobal('requestAnimationFrame', (run: FrameRequestCallback) => waiting.push(run))
  vi.stubGlobal('cancelAnimationFrame', () => {
    waiting = []
  })
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  return (by: number) => {
    now += by
    const due = waiting
    waiting = []
    act(() => due.forEach((run) => run(now)))
  }
}

it('a figure counts to its new value in 300 ms, and is read out as what it is', () => {
  reducedMotion(false)
  const pass = frames()
  const { container, rerender } = render(<Counting value={1000} />)
  rerender(<Counting value={2000} />)
  const shown = () => container.querySelector('.screen-figure')?.textContent
  expect(screen.getByText('2,000').className).toBe('screen-aside')
  pass(100)
  const half = Number(shown()?.replace(',', ''))
  expect(half > 1000 && half < 2000).toBe(true)
  pass(200)
  expect(shown()).toBe('2,000')
  vi.mocked(performance.now).mockRestore()
})

it('a figure is at once what it is for who asked for less motion', () => {
  reducedMotion(true)
  const pass = frames()
  const { container, rerender } = render(<Counting value={1} />)
  rerender(<Counting value={9} />)
  pass(1)
  expect(container.querySelector('.screen-figure')?.textContent).toBe('9')
  vi.mocked(performance.now).mockRestore()
})

it('reads counts and money with thousands apart, money to the cent', () => {
  expect([countText(1234567.4), yuanText(123456), yuanText(-5)]).toEqual(['1,234,567', '1,234.56', '-0.05'])
})

it('a tile greys when its data is old, and says how old', () => {
  const span = { sinceMs: 0, untilMs: 0, asOfMs: 100_000 }
  const tile = (now: number) => (
    <MemoryRouter>
      <NowContext value={now}>
        <Tile title="车辆状态" span={span} formula="每辆车只计一次">
          <p>12</p>
        </Tile>
      </NowContext>
    </MemoryRouter>
  )
  const { rerender } = render(tile(102_000))
  const region = screen.getByRole('region', { name: '车辆状态' })
  expect(region.className).toContain('tile-fresh')
  screen.getByRole('img', { name: '数据为最新' })
  rerender(tile(130_000))
  expect(region.className).toContain('tile-aging')
  screen.getByText('30 秒前')
  rerender(tile(400_000))
  expect(region.className).toContain('tile-stale')
  screen.getByText('5 分钟前')
})

it('fills areas more the more an order brings, and one alone like the most', () => {
  expect(strengthOf(5, 5, 5)).toBe(strengthOf(9, 5, 9))
  expect(strengthOf(5, 5, 9) < strengthOf(7, 5, 9)).toBe(true)
})

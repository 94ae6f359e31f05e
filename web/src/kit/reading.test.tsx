import { act, cleanup, render, renderHook, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { formatMoney, parseMoney } from './format'
import { Money } from './Money'
import { Time } from './Time'
import { useThrottledClick } from './useThrottledClick'

afterEach(cleanup)

describe('what people read', () => {
  it('CONST-021 amounts are cents, shown divided by 100', () => {
    render(<Money cents={12_345} />)
    expect(screen.getByText('123.45')).toBeTruthy()
    expect(formatMoney(0)).toBe('0.00')
    expect(formatMoney(-1)).toBe('-0.01')
  })

  it('what is typed as yuan becomes whole cents, without floating point on the way', () => {
    expect(parseMoney('0.29')).toBe(29n)
    expect(parseMoney('90071992547409.93')).toBe(9_007_199_254_740_993n)
    expect(parseMoney('1.005')).toBeNull()
    expect(parseMoney('')).toBeNull()
  })

  it('CONST-022 AMB-066 empty values read -- -- for times and -- for the rest', () => {
    const { container } = render(<Time at={null} />)
    expect(container.textContent).toBe('-- --')
    cleanup()
    expect(render(<Money cents={undefined} />).container.textContent).toBe('--')
    expect(formatMoney('')).toBe('--')
  })

  it('CONST-023 times read YYYY-MM-DD HH:mm:ss, wherever the browser is', () => {
    render(<Time at={Date.UTC(2026, 10, 20, 20, 5, 9)} />)
    expect(screen.getByText('2026-11-21 04:05:09')).toBeTruthy()
  })
})

describe('the click throttle', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const wait = (ms: number) => act(() => void vi.advanceTimersByTime(ms))

  it('VAL-016 CONST-008 a click 900 ms after the last that counted is ignored, one at 1100 ms is not', () => {
    const click = vi.fn<() => void>()
    const { result } = renderHook(() => useThrottledClick(click))
    result.current()
    result.current()
    expect(click).toHaveBeenCalledTimes(1)
    wait(900)
    result.current()
    expect(click).toHaveBeenCalledTimes(1)
    wait(200)
    result.current()
    expect(click).toHaveBeenCalledTimes(2)
  })

  it('takes another time when given one', () => {
    const click = vi.fn<() => void>()
    const { result } = renderHook(() => useThrottledClick(click, 200))
    result.current()
    wait(201)
    result.current()
    expect(click).toHaveBeenCalledTimes(2)
  })
})

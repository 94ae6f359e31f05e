import { useEffect, useRef, useState } from 'react'

import { motion_ms } from '@/kit/theme'

import { between } from './stage'

const still = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches

/** The value on its way to `value`; at once for who asked the system for less motion. */
export function useCounting(value: number): number {
  const [shown, setShown] = useState(value)
  const last = useRef(value)
  useEffect(() => {
    const from = last.current
    if (from === value) return undefined
    let request = 0
    const began = performance.now()
    const step = () => {
      const share = still() ? 1 : (performance.now() - began) / motion_ms.change
      last.current = between(from, value, share)
      setShown(last.current)
      if (share < 1) request = requestAnimationFrame(step)
    }
    request = requestAnimationFrame(step)
    return () => cancelAnimationFrame(request)
  }, [value])
  return shown
}

const whole = new Intl.NumberFormat('zh-CN', { maximumFractionDigits: 0 })
const yuan = new Intl.NumberFormat('zh-CN', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

export const countText = (count: number): string => whole.format(Math.round(count))
/** Cents as yuan. Rounded to the cent on the way; what it ends on is exact. */
export const yuanText = (cents: number): string => yuan.format(Math.round(cents) / 100)

interface CountingProps {
  value: number
  text?: (value: number) => string
}

/** A figure that counts to its new value. What is read out is the value alone. */
export function Counting({ value, text = countText }: CountingProps) {
  const shown = useCounting(value)
  return (
    <>
      <span className="screen-figure" aria-hidden>
        {text(shown)}
      </span>
      <span className="screen-aside">{text(value)}</span>
    </>
  )
}

import { useEffect, useState } from 'react'
import { secondsLeft } from '../session/countdown'

const COUNTDOWN_S = 60
const TICK_MS = 250

/** Counts down after a code was sent: the seconds that are left, 0 when ready, and the start of it. */
export function useCountdown(): [number, () => void] {
  const [startedAt, setStartedAt] = useState<number | null>(null)
  const [left, setLeft] = useState(0)
  useEffect(() => {
    if (startedAt === null) return
    const tick = setInterval(() => {
      const seconds = secondsLeft(startedAt, Date.now(), COUNTDOWN_S)
      setLeft(seconds)
      if (seconds === 0) setStartedAt(null)
    }, TICK_MS)
    return () => clearInterval(tick)
  }, [startedAt])
  const start = () => {
    setStartedAt(Date.now())
    setLeft(COUNTDOWN_S)
  }
  return [left, start]
}

import { useEffect, useState } from 'react'

import { useClockOffset } from './hooks'

/** The server's time, epoch ms, renewed every `everyMs`. */
export function useNow(everyMs = 1_000): number {
  const [now, setNow] = useState(() => Date.now())
  const offset = useClockOffset()
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), everyMs)
    return () => window.clearInterval(timer)
  }, [everyMs])
  return now + offset
}

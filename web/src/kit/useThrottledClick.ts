import { useCallback, useRef } from 'react'
import { letsThrough, THROTTLE_MS } from './throttle'

/** `onClick` that ignores further clicks for `wait_ms`. */
export function useThrottledClick(onClick: () => void, wait_ms: number = THROTTLE_MS): () => void {
  const last = useRef(Number.NEGATIVE_INFINITY)
  return useCallback(() => {
    const now = performance.now()
    if (!letsThrough(last.current, now, wait_ms)) return
    last.current = now
    onClick()
  }, [onClick, wait_ms])
}

import { useEffect, useState } from 'react'
import { frame } from '@/kit/theme'

/** Small movements of a finger are no change of direction, px. */
const SLACK = 4

/**
 * Whether a header that hides itself is gone after a scroll from `before` to `top` (px), `room` being the farthest one
 * can scroll: gone on the way down from 100 px on, back on the way up.
 */
export function headerGone(gone: boolean, before: number, top: number, room: number): boolean {
  if (top <= frame.headerHides) return false
  // Without the header there is less to scroll. Where so little is left that this alone would scroll up, it stays.
  if (!gone) return top > before && room > frame.headerHides + 2 * frame.header
  return !(top < before - SLACK && top < room - 1)
}

/** Follows the scrolling of `element`; null follows none. */
export function useHeaderGone(element: HTMLElement | null): boolean {
  const [gone, setGone] = useState(false)
  useEffect(() => {
    if (element === null) return undefined
    let before = element.scrollTop
    const follow = () => {
      const top = element.scrollTop
      const last = before
      before = top
      setGone((now) => headerGone(now, last, top, element.scrollHeight - element.clientHeight))
    }
    element.addEventListener('scroll', follow, { passive: true })
    return () => {
      element.removeEventListener('scroll', follow)
      setGone(false)
    }
  }, [element])
  return gone
}

import { useEffect, useRef } from 'react'

import { entryOf, quietDay } from './stage'

/** Begins the application anew in the quiet hour, if the server has another build by then. Looked at once a day. */
export function useNewBuild(now_ms: number): void {
  const day = quietDay(now_ms)
  const looked = useRef<number | null>(null)
  useEffect(() => {
    if (day === null || looked.current === day) return
    looked.current = day
    void otherBuild().then((other) => {
      if (other) window.location.reload()
    })
  }, [day])
}

/** Whether the server has another build than the one that runs here; one that does not answer has none. */
async function otherBuild(): Promise<boolean> {
  try {
    const answer = await fetch(window.location.pathname, { cache: 'no-store' })
    const entry = answer.ok ? entryOf(await answer.text()) : null
    return entry !== null && entry !== entryOf(document.documentElement.outerHTML)
  } catch {
    return false
  }
}

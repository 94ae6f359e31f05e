import { useCallback, useInsertionEffect, useRef } from 'react'

/** A function that stays the same and calls the newest one, for what is drawn seldom and acts as of now. Not to be called while drawing. */
export function useSteady<Args extends unknown[], Result>(call: (...args: Args) => Result): (...args: Args) => Result {
  const newest = useRef(call)
  useInsertionEffect(() => {
    newest.current = call
  })
  return useCallback((...args: Args) => newest.current(...args), [])
}

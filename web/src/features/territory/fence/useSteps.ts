import { useState } from 'react'
import type { Geometry } from './fence'

const MOST_STEPS = 50
type Step = Geometry | null

/** What was drawn before and what was taken back; `put` lays a drawing down. */
export function useSteps(value: Step, put: (geometry: Step) => void) {
  const [past, setPast] = useState<Step[]>([])
  const [future, setFuture] = useState<Step[]>([])
  return {
    change: (geometry: Step) => {
      setPast([...past, value].slice(-MOST_STEPS))
      setFuture([])
      put(geometry)
    },
    /** Absent when there is nothing to take back. */
    undo: past.length === 0 ? undefined : () => {
      setPast(past.slice(0, -1))
      setFuture([...future, value])
      put(past.at(-1) ?? null)
    },
    /** Absent when nothing was taken back. */
    redo: future.length === 0 ? undefined : () => {
      setFuture(future.slice(0, -1))
      setPast([...past, value])
      put(future.at(-1) ?? null)
    },
  }
}

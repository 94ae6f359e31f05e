import { useState } from 'react'

const MOST_STEPS = 50

/** What was drawn before and what was taken back; `put` lays a drawing down. */
export function useSteps<Step>(value: Step, put: (step: Step) => void) {
  const [past, setPast] = useState<Step[]>([])
  const [future, setFuture] = useState<Step[]>([])
  return {
    change: (step: Step) => {
      setPast([...past, value].slice(-MOST_STEPS))
      setFuture([])
      put(step)
    },
    /** Absent when there is nothing to take back. */
    undo: past.length === 0 ? undefined : () => {
      setPast(past.slice(0, -1))
      setFuture([...future, value])
      put(past.at(-1)!)
    },
    /** Absent when nothing was taken back. */
    redo: future.length === 0 ? undefined : () => {
      setFuture(future.slice(0, -1))
      setPast([...past, value])
      put(future.at(-1)!)
    },
  }
}

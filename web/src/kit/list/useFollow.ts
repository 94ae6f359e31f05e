import { type Query, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { noteSeen } from '@/api/client'
import { useReadTopic } from '@/live/hooks'

/** How long a changed row stays marked, ms. */
const MARKED_MS = 2400

/** Follows the changes of a read model: asks again, and answers which rows changed just now. */
export function useFollow(table: string | null, queryKey: readonly unknown[]): ReadonlySet<string> {
  const client = useQueryClient()
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>())

  const changed = (keys: readonly string[], seq: number) => {
    noteSeen(seq)
    void client.invalidateQueries({ queryKey }).then(() => {
      setMarked((known) => new Set([...known, ...keys]))
      const timer = setTimeout(() => {
        timers.current.delete(timer)
        setMarked((known) => new Set([...known].filter((key) => !keys.includes(key))))
      }, MARKED_MS)
      timers.current.add(timer)
    })
  }
  // What is shown already was asked for while nobody told of changes, on this page or on another.
  const answered = (query: Query) => query.state.data !== undefined
  useReadTopic(table, changed, () => void client.invalidateQueries({ queryKey, predicate: answered }))
  useEffect(() => {
    const pending = timers.current
    return () => pending.forEach(clearTimeout)
  }, [])
  return marked
}

import { useEffect, useRef, useState, useSyncExternalStore } from 'react'

import { useConnectionStore, type ConnectionState } from './connection'
import { bikeNames, liveSocket, watchConnection, watchFleet } from './live'
import { useTotalsStore, type FleetTotals } from './totals'

/** How fresh the data on this page is; keeps the connection state written while mounted. */
export function useConnection(): ConnectionState {
  useEffect(watchConnection, [])
  return useConnectionStore((store) => store.state)
}

/** Server time minus local time, ms. */
export function useClockOffset(): number {
  return useConnectionStore((store) => store.offsetMs)
}

/** Totals over the user's scope, null until the first arrive; changes at most twice a second. */
export function useFleetTotals(): FleetTotals | null {
  useEffect(watchFleet, [])
  return useTotalsStore((store) => store.totals)
}

/** The numbers of bikes in slots; draws anew when more are known. */
export function useBikeNames(): typeof bikeNames {
  useSyncExternalStore(
    (listener) => bikeNames.onChange(listener),
    () => bikeNames.version,
  )
  return bikeNames
}

/**
 * Calls `onChange` with the keys of the rows of `table` that changed and the log position that it
 * has reached: whoever asks again sees the change, for it is told once it is in the table. When the watch begins once more, after a loss of the connection or when a hidden page is
 * shown again, it is called with no keys and seq 0: anything may have changed. `onBegin` is called when the watch
 * begins for the first time, with how long nothing has changed, ms: what was asked for before that may be older.
 */
export function useReadTopic(
  table: string | null,
  onChange: (keys: readonly string[], seq: number) => void,
  onBegin?: (quiet_ms: number) => void,
): void {
  const latest = useLatest({ onChange, onBegin })
  const begunBefore = useRef(false)
  useEffect(() => {
    if (table === null) return undefined
    return liveSocket.watch(`read/${table}`, {
      data: (data, seq) => latest.current.onChange(keysOf(data), seq),
      begun: (quiet_ms) => {
        if (begunBefore.current) latest.current.onChange([], 0)
        else latest.current.onBegin?.(quiet_ms)
        begunBefore.current = true
      },
    })
  }, [table, latest])
}

/** What is known of one watched topic. */
export interface TopicState<T> {
  /** The newest data, null until the first arrives. */
  readonly data: T | null
  readonly seq: number
  /** Why the server refuses it, '' when it does not. */
  readonly refused: string
}

const nothing = { data: null, seq: 0, refused: '' } as const

/** The newest data of any topic whose frames each replace the one before; null watches nothing. */
export function useTopic<T>(topic: string | null): TopicState<T> {
  const [seen, setSeen] = useState<{ readonly topic: string | null; readonly state: TopicState<T> }>({
    topic: null,
    state: nothing,
  })
  useEffect(() => {
    if (topic === null) return undefined
    return liveSocket.watch(topic, {
      data: (data, seq) => setSeen({ topic, state: { data: data as T, seq, refused: '' } }),
      refused: (promot) => setSeen({ topic, state: { data: null, seq: 0, refused: promot } }),
    })
  }, [topic])
  // What was heard of another topic is not shown under this one, not even for one frame.
  return seen.topic === topic ? seen.state : nothing
}

/** Live data of one bike, as the drawer shows it. */
export function useVehicleTopic<T>(carId: string | null): TopicState<T> {
  return useTopic<T>(carId === null ? null : `vehicle/${carId}`)
}

function keysOf(data: unknown): readonly string[] {
  if (typeof data !== 'object' || data === null || !('keys' in data) || !Array.isArray(data.keys)) return []
  return data.keys.filter((key): key is string => typeof key === 'string')
}

function useLatest<T>(value: T): { readonly current: T } {
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  }, [value])
  return latest
}

/** The fleet as it was: which times of the last week are known, and what a moment's answer is made of. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '@/api/client'
import type { DataOf } from '@/api/shapes'
import { BIKE_BYTES, FrameKind, HEADER_BYTES, STATE_COUNT, STATE_MASK, Bit } from '@/live/fleetFrame'
import type { FleetStore } from '@/live/fleetStore'
import type { FleetTotals } from '@/live/totals'

export const PAST_PATH = '/vehicle/map'

export type PastTimes = DataOf<'/vehicle/map/times'>
export type Span = PastTimes['known'][number]

/** How many times faster than it was. */
export const SPEEDS = [1, 10, 60, 300, 600] as const
export type Speed = (typeof SPEEDS)[number]

/** Frames are kept so often: what lies less apart is no gap. */
const SLACK_MS = 15_000

export const pastTimes = queryOptions({
  queryKey: [PAST_PATH, 'times'],
  queryFn: ({ signal }) => api.get('/vehicle/map/times', {}, { signal }),
  staleTime: 30_000,
})

/** Fences change seldom: those of the minute are those of the moment. */
export const pastFences = (at: number) => {
  const minute = Math.floor(at / 60_000) * 60_000
  return queryOptions({
    queryKey: ['fence', 'map', minute],
    queryFn: ({ signal }) => api.get('/fence/map', { at: minute }, { signal, quiet: true }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })
}

/** The buffers that an answer is made of, one after the other. */
export function buffersOf(answer: ArrayBuffer): ArrayBuffer[] {
  const view = new DataView(answer)
  const buffers: ArrayBuffer[] = []
  let at = 0
  while (at + HEADER_BYTES <= answer.byteLength) {
    const kind = view.getUint8(at + 1)
    const records = kind === FrameKind.changes || kind === FrameKind.snapshotBikes ? view.getUint16(at + 2, true) : 0
    const end = at + HEADER_BYTES + records * BIKE_BYTES
    buffers.push(answer.slice(at, end))
    at = end
  }
  return buffers
}

/** Whether the fleet of a moment is known. */
export function isKnown(known: readonly Span[], at: number): boolean {
  return known.some(({ from, until }) => from <= at && at <= until + SLACK_MS)
}

/** The first known moment from `at` on; null where there is none any more. */
export function nextKnown(known: readonly Span[], at: number): number | null {
  if (isKnown(known, at)) return at
  const next = known.find(({ from }) => from > at)
  return next === undefined ? null : next.from
}

/** What is not known between two moments, as parts of the way between them: 0 to 1. */
export function gapsOf(known: readonly Span[], from: number, until: number): readonly { start: number; end: number }[] {
  const part = (at: number) => Math.min(1, Math.max(0, (at - from) / (until - from)))
  const gaps: { start: number; end: number }[] = []
  let reached = from
  for (const span of known) {
    if (span.until < from || span.from > until) continue
    if (span.from > reached + SLACK_MS) gaps.push({ start: part(reached), end: part(span.from) })
    reached = Math.max(reached, span.until)
  }
  if (reached + SLACK_MS < until) gaps.push({ start: part(reached), end: 1 })
  return gaps
}

/** What a fleet comes to. */
export function totalsOf({ flags, present, high }: Pick<FleetStore, 'flags' | 'present' | 'high'>): FleetTotals {
  const states = Array.from({ length: STATE_COUNT + 1 }, () => 0)
  let alarm = 0
  let bikes = 0
  for (let slot = 0; slot < high; slot += 1) {
    if (present[slot] === 0) continue
    const flag = flags[slot] ?? 0
    const state = flag & STATE_MASK
    states[state] = (states[state] ?? 0) + 1
    bikes += 1
    if ((flag & Bit.alarm) !== 0) alarm += 1
  }
  return { states, shelved: bikes, rentable: states[0] ?? 0, online: bikes - (states[STATE_COUNT - 1] ?? 0), alarm }
}

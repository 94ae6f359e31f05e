/** The page of the case `fences-14k`: the editor's own field, among a city's fences, while a corner is dragged. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { App } from 'antd'
import { useEffect, useState } from 'react'
import { createRoot, type Root } from 'react-dom/client'

import DrawField from '@/features/territory/fence/DrawField'
import type { Geometry } from '@/features/territory/fence/fence'

import { chance } from './fleet'

type Ring = number[][]

const AREA = 'area'
/** What is drawn anew, and so is not beneath itself. */
const DRAWN = 'drawn'
const MARGIN_DEGREES = 0.02
/** Where made-up fences lie, and how large they are, as the city's are: 1.7 by 6 metres in rows along streets. */
const MIDDLE = [118.11, 24.48] as const
const SPAN_DEGREES = 0.14
const [WIDE_DEGREES, LONG_DEGREES] = [1.7 / 101_000, 6 / 110_800]
const PER_ROW = 20

/** Fences by arithmetic: the same in every run. */
function generated(count: number): Ring[] {
  const next = chance(11)
  const rings: Ring[] = []
  while (rings.length < count) {
    const [west, south] = [MIDDLE[0] + (next() - 0.5) * SPAN_DEGREES, MIDDLE[1] + (next() - 0.5) * SPAN_DEGREES]
    for (let n = 0; n < PER_ROW && rings.length < count; n += 1) {
      const [left, bottom] = [west, south + n * LONG_DEGREES]
      const corners = [[left, bottom], [left, bottom + LONG_DEGREES], [left + WIDE_DEGREES, bottom + LONG_DEGREES], [left + WIDE_DEGREES, bottom]]
      rings.push([...corners, corners[0]!])
    }
  }
  return rings
}

/** The ring with the most others about it. */
function crowded(rings: readonly Ring[]): number {
  const cell = ([lng, lat]: readonly number[]) => `${Math.floor(lng! * 500)}:${Math.floor(lat! * 500)}`
  const counts = new Map<string, number>()
  for (const ring of rings) counts.set(cell(ring[0]!), (counts.get(cell(ring[0]!)) ?? 0) + 1)
  const [most] = [...counts].toSorted((a, b) => b[1] - a[1])
  return rings.findIndex((ring) => cell(ring[0]!) === most?.[0])
}

function square([lng, lat]: readonly number[], half_degrees: number): Ring {
  const [west, east, south, north] = [lng! - half_degrees, lng! + half_degrees, lat! - half_degrees, lat! + half_degrees]
  return [[west, south], [east, south], [east, north], [west, north], [west, south]]
}

let root: Root | null = null
let value: Geometry | null = null
let framed: Promise<number> = Promise.resolve(0)

function Editor({ start }: { start: Geometry }) {
  const [geometry, setGeometry] = useState<Geometry | null>(start)
  useEffect(() => {
    value = geometry
  }, [geometry])
  return (
    <DrawField areaId={AREA} fenceId={DRAWN} type="parking" value={geometry} onChange={setGeometry} plan={{ pieces: [], merged: [] }} onPlan={() => undefined} />
  )
}

/** What the measuring program may do. */
export const steps = {
  /** Opens the editor on one of these fences, or of as many by arithmetic; on a district of so many degrees about it where that is said. */
  begin(given: Ring[] | number, half_degrees: number | null): number {
    const rings = typeof given === 'number' ? generated(given) : given
    const index = crowded(rings)
    const one = rings[index]!
    const corners = rings.flat()
    const [lngs, lats] = [corners.map((corner) => corner[0]!), corners.map((corner) => corner[1]!)]
    const least = (all: number[]) => all.reduce((a, b) => Math.min(a, b))
    const most = (all: number[]) => all.reduce((a, b) => Math.max(a, b))
    const [west, east, south, north] = [least(lngs) - MARGIN_DEGREES, most(lngs) + MARGIN_DEGREES, least(lats) - MARGIN_DEGREES, most(lats) + MARGIN_DEGREES]
    const edge = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    const parkings = rings.map((ring, n) => ({ id: n === index ? DRAWN : String(n), areaId: AREA, name: `P${n}`, capacity: 20, ring }))
    const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false } } })
    client.setQueryData(['/fence/map'], { areas: [{ id: AREA, name: '城区', agentId: '1', state: 1, ring: edge }], parkings, noStops: [], noRides: [], customs: [] })
    client.setQueryData(['map', 'base'], [])
    root?.unmount()
    root = createRoot(document.querySelector('#editor')!)
    const ring = half_degrees === null ? one : square(one[0]!, half_degrees)
    root.render(
      <App>
        <QueryClientProvider client={client}>
          <Editor key={half_degrees} start={{ type: 'Polygon', coordinates: [ring] }} />
        </QueryClientProvider>
      </App>,
    )
    return parkings.length
  },
  /** What was drawn last. */
  drawn(): string {
    return JSON.stringify(value)
  },
  /** Watches for the next move of the pointer. */
  watch(): void {
    framed = new Promise((done) => {
      const moved = () => {
        const begun = performance.now()
        requestAnimationFrame(() => {
          const painted = new MessageChannel()
          painted.port1.addEventListener('message', () => done(performance.now() - begun))
          painted.port1.start()
          painted.port2.postMessage(null)
        })
      }
      window.addEventListener('pointermove', moved, { capture: true, once: true })
    })
  },
  /** Milliseconds from that move until its frame was painted. */
  frame: () => framed,
}

declare global {
  interface Window {
    editor: typeof steps
  }
}
window.editor = steps

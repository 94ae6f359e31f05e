import { useCallback, useEffect, useState } from 'react'

import { fleet } from '@/live/live'
import type { Pick } from '@/live/messages'
import type { FleetTotals } from '@/live/totals'
import { boundsOf, type FenceMap } from '@/map/fences/fences'
import { listed, neighbour } from '@/map/listing'
import type { Mask } from '@/map/vehicles/fleetMath'
import { type BoxDegrees, canSendAll, padded } from '@/map/watchWindow'

const EVERY_MS = 1_000
/** A larger fleet is not streamed whole for a list; what is near the view is. */
const MOST_WHOLE = 20_000
/** Bikes stray: so far beyond the areas they are still in the list, as a share of the areas' size. */
const STRAYED = 0.2

/** The box in which every bike is wanted, or null when there are too many or it is too large. */
function boxOfAll(fences: FenceMap | undefined, totals: FleetTotals | null, pick: Pick | null): BoxDegrees | null {
  const bounds = fences === undefined ? null : boundsOf(fences)
  const most = pick === null ? totals?.shelved : totals?.picked
  if (bounds === null || most === undefined || most > MOST_WHOLE) return null
  const [[south, west], [north, east]] = bounds
  const box = padded([west, south, east, north], STRAYED)
  return pick !== null || canSendAll(box) ? box : null
}

/** The list of what the filter holds: as it is now, once a second while it is open. */
export function useFleetList(mask: Mask, pick: Pick | null, fences: FenceMap | undefined, totals: FleetTotals | null) {
  // Whoever filters wants to see what remains; on a phone the list would hide the map.
  const [choice, setOpen] = useState<boolean | null>(null)
  const open = choice ?? ((mask !== 0 || pick !== null) && window.innerWidth > 900)
  const [seen, setSeen] = useState<{ slots: readonly number[]; counted: boolean }>({ slots: [], counted: false })
  useEffect(() => {
    if (!open) return undefined
    const look = () => setSeen({ slots: listed(fleet.bikes, mask), counted: fleet.clusters.areaCount > 0 })
    look()
    const timer = window.setInterval(look, EVERY_MS)
    return () => window.clearInterval(timer)
  }, [open, mask])
  const all = open ? boxOfAll(fences, totals, pick) : null
  // What is next follows from what there is now, not from what was last shown.
  const next = useCallback((chosen: number, step: 1 | -1) => neighbour(listed(fleet.bikes, mask), chosen, step), [mask])
  return { open, setOpen, all, next, ...seen }
}

import type { FleetTotals } from '@/live/totals'

import type { Kpi } from './kpis'

/** A figure with its unit, which only stands behind a number; a dash until the totals are known. */
export function KpiFigure({ kpi: { figure, unit }, totals }: { kpi: Kpi; totals: FleetTotals | null }) {
  return (
    <>
      {totals === null ? '–' : figure(totals)}
      {unit !== undefined && totals !== null && totals.shelved > 0 && <small>{unit}</small>}
    </>
  )
}

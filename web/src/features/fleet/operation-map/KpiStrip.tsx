import { Tooltip } from 'antd'

import type { FleetTotals } from '@/live/totals'
import type { Mask } from '@/map/vehicles/fleetMath'

import { KpiFigure } from './KpiFigure'
import { kpis } from './kpis'
import { bitOf } from './mapFilter'

interface KpiStripProps {
  totals: FleetTotals | null
  mask: Mask
  /** The figures are those of a while ago. */
  stale: boolean
  onMask: (mask: Mask) => void
}

export function KpiStrip({ totals, mask, stale, onMask }: KpiStripProps) {
  return (
    <div className={stale ? 'opmap-kpis stale' : 'opmap-kpis'} role="group" aria-label="车辆概况">
      {kpis.map((kpi) => {
        const bit = kpi.filter === null ? 0 : bitOf(kpi.filter)
        const active = mask === bit && bit !== 0
        return (
          <Tooltip key={kpi.label} title={kpi.formula} placement="bottom">
            <button
              type="button"
              className="opmap-kpi"
              aria-pressed={active}
              onClick={() => onMask(active ? 0 : bit)}
            >
              <span className="opmap-kpi-label">{kpi.label}</span>
              <span className="opmap-kpi-figure">
                <KpiFigure kpi={kpi} totals={totals} />
              </span>
            </button>
          </Tooltip>
        )
      })}
    </div>
  )
}

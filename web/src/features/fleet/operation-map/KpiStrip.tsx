import { Tooltip } from 'antd'

import type { FleetTotals } from '@/live/totals'
import type { Mask } from '@/map/vehicles/fleetMath'

import { bitOf, countOf, filterFormulas, filterStyles, type FilterKey } from './mapFilter'

interface Kpi {
  readonly label: string
  /** The filter it stands for, null for the whole fleet. */
  readonly filter: FilterKey | null
  readonly figure: (totals: FleetTotals) => string
  readonly unit?: string
  readonly formula: string
}

const whole = new Intl.NumberFormat('zh-CN')
const figure = (count: number): string => whole.format(count)

/** Share of rentable bikes in percent with one digit, a dash without bikes. */
export function rentableShare(totals: Pick<FleetTotals, 'rentable' | 'shelved'>): string {
  return totals.shelved === 0 ? '–' : ((totals.rentable / totals.shelved) * 100).toFixed(1)
}

/** The figure of a state, as the legend has it. */
function kpiOf(key: FilterKey): Kpi {
  const label = filterStyles.find((style) => style.key === key)?.label ?? ''
  return { label, filter: key, figure: (totals) => figure(countOf(key, totals)), formula: filterFormulas[key] }
}

const kpis: readonly Kpi[] = [
  { label: '上架', filter: null, figure: (totals) => figure(totals.shelved), formula: '已上架的车辆' },
  { label: '可租率', filter: 'rentable', figure: rentableShare, unit: '%', formula: '待使用且可租 ÷ 上架' },
  kpiOf('riding'),
  kpiOf('low_battery'),
  kpiOf('alarm'),
  kpiOf('silent'),
]

export function KpiStrip({ totals, mask, onMask }: { totals: FleetTotals | null; mask: Mask; onMask: (mask: Mask) => void }) {
  return (
    <div className="opmap-kpis" role="group" aria-label="车辆概况">
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
                {totals === null ? '–' : kpi.figure(totals)}
                {kpi.unit !== undefined && totals !== null && totals.shelved > 0 && <small>{kpi.unit}</small>}
              </span>
            </button>
          </Tooltip>
        )
      })}
    </div>
  )
}

import type { FleetTotals } from '@/live/totals'

import { countOf, filterFormulas, filterStyles, type FilterKey } from './mapFilter'

/** A figure of the fleet, as the map's strip and the front page show it. */
export interface Kpi {
  readonly label: string
  /** The filter it stands for, null for the whole fleet. */
  readonly filter: FilterKey | null
  readonly figure: (totals: FleetTotals) => string
  /** Stands behind the figure when there are bikes. */
  readonly unit?: string
  readonly formula: string
}

const whole = new Intl.NumberFormat('zh-CN')
const figure = (count: number): string => whole.format(count)

/** Share of rentable bikes in percent with one digit, a dash without bikes. */
function rentableShare(totals: Pick<FleetTotals, 'rentable' | 'shelved'>): string {
  return totals.shelved === 0 ? '–' : ((totals.rentable / totals.shelved) * 100).toFixed(1)
}

/** The figure of a state, as the legend has it. */
function kpiOf(key: FilterKey): Kpi {
  const label = filterStyles.find((style) => style.key === key)?.label ?? ''
  return { label, filter: key, figure: (totals) => figure(countOf(key, totals)), formula: filterFormulas[key] }
}

export const kpis: readonly Kpi[] = [
  { label: '上架', filter: null, figure: (totals) => figure(totals.shelved), formula: '已上架的车辆' },
  { label: '可租率', filter: 'rentable', figure: rentableShare, unit: '%', formula: '待使用且可租 ÷ 上架' },
  kpiOf('riding'),
  kpiOf('low_battery'),
  kpiOf('alarm'),
  kpiOf('silent'),
]

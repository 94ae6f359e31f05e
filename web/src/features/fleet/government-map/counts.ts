/** Rows of the counts by area. Pure. */
import type { DataOf } from '@/api/shapes'

type AreaFleet = DataOf<'/vehicle/map/areas'>['areas'][number]

export interface CountRow {
  /** '' for the sum. */
  readonly id: string
  readonly name: string
  /** 上架, 可租, 骑行中, 停运, 离线. */
  readonly counts: readonly number[]
}

const RIDING = 1
const OUT_OF_SERVICE = 5
const SILENT = 7

/** Each area that is looked at, the most bikes first, and their sum where there are several. */
export function countRows(areas: readonly AreaFleet[], names: readonly { value: string; label: string }[], chosen: readonly string[]): CountRow[] {
  const nameOf = new Map(names.map(({ value, label }) => [value, label]))
  const rows = areas
    .filter(({ areaId }) => chosen.length === 0 || chosen.includes(areaId))
    .map(({ areaId, shelved, rentable, states }) => ({
      id: areaId,
      name: nameOf.get(areaId) ?? areaId,
      counts: [shelved, rentable, states[RIDING] ?? 0, states[OUT_OF_SERVICE] ?? 0, states[SILENT] ?? 0],
    }))
    .toSorted((one, other) => (other.counts[0] ?? 0) - (one.counts[0] ?? 0) || one.name.localeCompare(other.name, 'zh'))
  if (rows.length < 2) return rows
  const sum = rows.reduce<number[]>((sums, { counts }) => counts.map((count, at) => (sums[at] ?? 0) + count), [])
  return [...rows, { id: '', name: '合计', counts: sum }]
}

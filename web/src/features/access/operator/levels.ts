/** The level of a person: tiers 1, 2, 4 and 8 as a bit set. Pure. */
import { tiers } from '../role/role'

/** The tiers in `level`, in the order of the picker. */
export function tiersOf(level: number): number[] {
  return tiers.map(({ value }) => value).filter((tier) => (level & tier) !== 0)
}

/** The level that holds just these tiers. */
export function levelOf(chosen: readonly number[]): number {
  return chosen.reduce((level, tier) => level | tier, 0)
}

/** How a level reads: `管理员、运营`. */
export function levelText(level: number): string {
  const names = tiers.filter(({ value }) => (level & value) !== 0).map(({ label }) => label)
  return names.join('、') || '--'
}

/** Values that the server has labels for, as tags and to choose from. */
import { stateStyle } from './theme'
import { EMPTY } from './format'
import type { FilterOption } from './list/description'
import type { TagStyle } from './StateTag'

type ByValue<Value extends string | number> = Readonly<Record<Value, string>>

/** How a value looks; one that is not known yet looks grey. */
export function tagOf<Value extends string | number>(value: Value, labels: ByValue<Value>, colors: ByValue<Value>): TagStyle {
  return { label: labels[value] ?? EMPTY, color: colors[value] ?? stateStyle[7].color }
}

/** How a value is called; one that is not known yet, or none, is not. */
export function labelOf(labels: Readonly<Record<number, string>>, value: number | null | undefined): string {
  return (value === null || value === undefined ? undefined : labels[value]) ?? EMPTY
}

/** All values to choose from. */
export function optionsOf(labels: ByValue<string | number>): FilterOption[] {
  return Object.entries(labels).map(([value, label]) => ({ value, label }))
}

/** The same, as numbers. */
export function numberedOptionsOf(labels: Readonly<Record<number, string>>): { value: number; label: string }[] {
  return optionsOf(labels).map(({ value, label }) => ({ value: Number(value), label }))
}

/** `options` with one for `value`: what is held already and not offered shows as it is `known`, else as it is written. */
export function withHeld<Option extends FilterOption>(
  options: readonly Option[],
  value: string | null | undefined,
  known: readonly FilterOption[] = [],
): (Option | FilterOption)[] {
  if (!value || options.some((option) => option.value === value)) return [...options]
  return [known.find((option) => option.value === value) ?? { value, label: value }, ...options]
}

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

/** All values to choose from. */
export function optionsOf(labels: ByValue<string | number>): FilterOption[] {
  return Object.entries(labels).map(([value, label]) => ({ value, label }))
}
